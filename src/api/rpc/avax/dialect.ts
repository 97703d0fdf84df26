/**
 * Helicon replaced the C-chain's VM. Before its first block coreth answers `avax.*`, from then on saevm, with other texts and other pages.
 */
import { evmTips } from "../../../chains/atomic/tables.ts";
import { isActive } from "../../../network/network.ts";
import type { RpcContext } from "../method.ts";

export type Dialect = "coreth" | "saevm";

export async function dialectOf({ reader, network }: RpcContext): Promise<Dialect> {
  const progress = await reader.get(evmTips, { chainId: network.cChainId });
  return progress !== undefined && isActive(network, "helicon", progress.timestamp) ? "saevm" : "coreth";
}
