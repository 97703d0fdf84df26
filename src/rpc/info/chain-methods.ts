/** What info.* tells of chains by alias or ID (rpc-avm-info-health 5.1). */
import { isStandalone } from "../../network/standalone.ts";
import { formatId } from "../../primitives/cb58.ts";
import { chainAliases } from "../chain-aliases.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { string } from "../params.ts";

export const getBlockchainId = method({
  name: "info.getBlockchainID",
  summary: "The ID behind a blockchain's alias.",
  cost: "O(chains)",
  params: { alias: string },
  async handler({ alias }, context) {
    const chainId = (await chainAliases(context)).get(alias);
    if (chainId === undefined) throw new RpcError(`there is no ID with alias: ${alias}`);
    return { blockchainID: formatId(chainId) };
  },
});

/** A chain that the store holds is served as far as its source goes: it is bootstrapped. A store of EVM chains only holds none of these. */
export const isBootstrapped = method({
  name: "info.isBootstrapped",
  summary: "Whether a chain is ready to be asked.",
  cost: "O(chains)",
  params: { chain: string },
  async handler({ chain }, context) {
    if (chain === "") throw new RpcError("argument 'chain' not given");
    if (!(await chainAliases(context)).has(chain)) throw new RpcError(`there is no chain with alias/ID '${chain}'`);
    return { isBootstrapped: !isStandalone(context.network) };
  },
});
