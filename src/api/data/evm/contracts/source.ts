/** A contract's code, and the source that the server has for it. */
import Type from "typebox";
import { FirnError } from "../../../../base/errors/errors.ts";
import type { FoundBuild } from "../../../../evm/builds/build-folder.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { DataError } from "../../errors.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import { heightOf } from "../balances/height.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import type { EvmReading } from "../present-token.ts";
import { askNode, blockTag, wrongAnswer } from "../upstream.ts";

const source = namedObject("ContractBuild", {
  contractName: Type.String({ description: "Empty if the build file does not say." }),
  sourcePath: Type.String({ description: "Of the source that has the contract; empty if the build file does not say." }),
  compiler: Type.String({ description: "Version; empty if the build file does not say." }),
  match: Type.Union([Type.Literal("full"), Type.Literal("code")], {
    description:
      "`full`: the code is the build's, and names the hash of the metadata in which the compiler wrote the ABI and the hashes of these sources. `code`: the code that runs is the build's, and only the build file says that this ABI and these sources belong to it. Firn does not compile.",
  }),
  abi: Type.String({ description: "JSON." }),
  sources: Type.Array(
    namedObject("ContractSourceFile", {
      path: Type.String({ description: "As the compiler was given it." }),
      content: Type.String({ description: "The text of the file." }),
    }),
  ),
});

const contractSource = namedObject("ContractSource", {
  code: Type.String({ description: "The deployed code: 0x and hex digits; 0x for an account." }),
  build: Type.Optional(source),
  acceptsBuilds: Type.Boolean({ description: "Whether this server keeps build files that are sent to it." }),
});

const params = Type.Object({ address: evmAddress("Contract or account") });
const path = "/chains/{chainId}/addresses/{address}/source" as const;

export const getContractSource = dataRoute({
  method: "GET",
  path,
  operationId: "getContractSource",
  tag: "EVM: contracts",
  summary: "Deployed code of a contract, with its ABI and sources if the server has its build file.",
  description:
    "Firn asks the chain's node for the code: 503 if it does not answer. The sources are those of a build file in the server's folder `builds`.",
  cost: "One row, and one request to the chain's node",
  computeUnits: 20,
  evm: "chain",
  params,
  query: Type.Object({}),
  response: contractSource,
  async handle({ params: { address } }, context) {
    const code = await codeOf(parseEvmAddress(address), context);
    const found = await context.builds?.find(code);
    return present(code, found, context.builds !== undefined && context.settings.acceptedBuilds !== "none");
  },
});

export const keepContractBuild = dataRoute({
  method: "POST",
  path,
  operationId: "keepContractBuild",
  tag: "EVM: contracts",
  summary: "Sends the build file of a contract, which the server keeps if it has the contract's code.",
  description:
    "The file is a build-info file of Hardhat or Foundry, or the artifact of one contract. It then serves all contracts with this code, on every chain of the server. A devnet accepts build files. Another server answers 403, unless its operator sets `acceptBuilds`: then it accepts those whose ABI and sources the code proves (`full`). 400: no contract of the file has this code, or it proves nothing.",
  cost: "One row, one request to the chain's node, and a file",
  computeUnits: 100,
  evm: "chain",
  changes: true,
  status: 201,
  bodyLimit: "buildBodyBytes",
  params,
  query: Type.Object({}),
  body: Type.Object({ build: Type.String({ description: "The JSON text of the build file." }) }),
  response: contractSource,
  async handle({ params: { address }, body }, context) {
    const { builds, evmChain, settings } = context;
    const { acceptedBuilds: accepted } = settings;
    if (builds === undefined || accepted === "none")
      throw new DataError(
        403,
        "this server keeps no build files that are sent to it; its operator can set acceptBuilds, or put the file into its folder builds",
      );
    const code = await codeOf(parseEvmAddress(address), context);
    if (code.length === 0) throw new DataError(404, `${address} of chain ${evmChain.evmChainId} has no code: it is no contract`);
    try {
      return present(code, await builds.add(body.build, code, accepted), true);
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      if (error.code === "build-folder-full") throw new DataError(503, error.message);
      if (!KNOWN.has(error.code)) throw error;
      throw new DataError(400, error.message);
    }
  },
});

/** Errors about the file itself. */
const KNOWN: ReadonlySet<string> = new Set(["build-file", "build-mismatch", "build-unproven", "input-missing", "input-malformed"]);

const CODE = /^0x((?:[0-9a-f]{2})*)$/;
/** EIP-170 allows 24 KiB; L1s have raised it */
const MOST_CODE_DIGITS = 1 << 18;

async function codeOf(address: Address, context: EvmReading): Promise<Buffer> {
  const { evmChain } = context;
  const { height } = await heightOf(undefined, context);
  const [answer] = await askNode(evmChain, height, [{ method: "eth_getCode", params: [`0x${address}`, blockTag(height)] }]);
  const [, digits] = (typeof answer === "string" && answer.length <= MOST_CODE_DIGITS && CODE.exec(answer)) || [];
  if (digits === undefined) throw wrongAnswer(evmChain.evmChainId);
  return Buffer.from(digits, "hex");
}

function present(code: Buffer, found: FoundBuild | undefined, acceptsBuilds: boolean) {
  const known = { code: `0x${code.toString("hex")}`, acceptsBuilds };
  if (found === undefined) return known;
  const { sources, ...build } = found;
  return { ...known, build: { ...build, sources: [...sources] } };
}
