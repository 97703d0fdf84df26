/**
 * The C-chain's VM was replaced with Helicon: until then coreth answers `avax.*`, from the first block of Helicon on saevm does, with
 * other texts and another form of pages.
 */
import { evmChain } from "../../atomic/tables.ts";
import { isActive } from "../../network/network.ts";
import type { RpcContext } from "../method.ts";

export type Dialect = "coreth" | "saevm";

export async function dialectOf({ reader, network }: RpcContext): Promise<Dialect> {
  const progress = await reader.get(evmChain, { chainId: network.cChainId });
  return progress !== undefined && isActive(network, "helicon", progress.timestamp) ? "saevm" : "coreth";
}
