/** The methods of info.* about one chain, by alias or ID (rpc-avm-info-health 5.1). */

import { formatId } from "../../../base/bytes/cb58.ts";
import { echoed } from "../../../base/text/go-text.ts";
import { isStandalone } from "../../../network/standalone.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { string } from "../params.ts";
import { chainAliases } from "../service.ts";

export const getBlockchainId = method({
  name: "info.getBlockchainID",
  summary: "The ID of a blockchain by its alias.",
  cost: "O(chains)",
  computeUnits: 10,
  params: { alias: string },
  async handler({ alias }, context) {
    const chainId = (await chainAliases(context)).get(alias);
    if (chainId === undefined) throw new RpcError(`there is no ID with alias: ${echoed(alias)}`);
    return { blockchainID: formatId(chainId) };
  },
});

/** Every chain of the store is bootstrapped, since it is served as far as the source goes. A store of EVM chains only has none of them. */
export const isBootstrapped = method({
  name: "info.isBootstrapped",
  summary: "Whether a chain is ready for requests.",
  cost: "O(chains)",
  computeUnits: 10,
  params: { chain: string },
  async handler({ chain }, context) {
    if (chain === "") throw new RpcError("argument 'chain' not given");
    if (!(await chainAliases(context)).has(chain)) throw new RpcError(`there is no chain with alias/ID '${echoed(chain)}'`);
    return { isBootstrapped: !isStandalone(context.network) };
  },
});
