import Type, { type Static } from "typebox";
import type { Id } from "../../../base/bytes/id.ts";
import { signedTx } from "../../../chains/platform/tx/registry.ts";
import { storedTx } from "../../../chains/platform/tx/signed.ts";
import { blockchains } from "../../../index/primary/network/network-tables.ts";
import { chainIdOf, primaryChains } from "../../../index/primary/primary-chain.ts";
import { readPlatformTxs } from "../../../index/stored-txs.ts";
import type { DataContext } from "../context.ts";
import { notFound } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { namedObject } from "../named-object.ts";
import { CHAIN_NAMES, publicChainId } from "../network-labels.ts";
import { dataRoute } from "../route.ts";
import { type GenesisData, genesisData, genesisDataSchema } from "./genesis-data.ts";
import { blockchainSchema, presentBlockchain } from "./present.ts";

const response = namedObject("BlockchainDetails", { ...blockchainSchema.properties, genesisData: Type.Optional(genesisDataSchema) });

export const getBlockchain = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}",
  operationId: "getBlockchainById",
  tag: "Primary network: subnets and blockchains",
  summary: "One blockchain, with its genesis.",
  description: "Accepts any blockchain ID, and `p-chain`, `x-chain`, `c-chain`. The P-chain has no genesis in the answer.",
  cost: "two rows; O(size of the genesis)",
  computeUnits: 20,
  params: Type.Object({ blockchainId: cb58Id("ID of the blockchain") }),
  query: Type.Object({}),
  response,
  async handle({ params }, context): Promise<Static<typeof response>> {
    const chainId = blockchainIdOf(params.blockchainId, context);
    const row = await context.reader.get(blockchains, { chainId });
    if (row === undefined) throw notFound(`blockchain ${params.blockchainId} was not found on this network`);
    const data = await genesisOf(chainId, context);
    return { ...presentBlockchain(chainId, row, context.network), ...(data && { genesisData: data }) };
  },
});

/** The three chains of the primary network also have aliases and public IDs. */
function blockchainIdOf(text: string, { network, label }: DataContext): Id {
  for (const chain of primaryChains) {
    if (text === CHAIN_NAMES[chain] || text === publicChainId(chain, label)) return chainIdOf(chain, network);
  }
  return parseIdParam("blockchainId", text);
}

/** The genesis from the transaction that created the blockchain. The P-chain has none. */
async function genesisOf(chainId: Id, { reader }: DataContext): Promise<GenesisData | undefined> {
  const [created] = await readPlatformTxs(reader, [chainId]);
  if (created === undefined) return undefined;
  const { unsigned } = storedTx(signedTx, created.bytes);
  return unsigned.kind === "CreateChainTx" ? genesisData(unsigned.genesisData, unsigned.vmId) : undefined;
}
