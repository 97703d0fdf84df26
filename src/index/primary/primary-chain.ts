/** P, X and C in the keys of the Data API's index: one byte instead of a blockchain ID. */

import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { NetworkInstance } from "../../network/network.ts";

export const P_CHAIN = 0;
export const X_CHAIN = 1;
export const C_CHAIN = 2;
export type PrimaryChain = typeof P_CHAIN | typeof X_CHAIN | typeof C_CHAIN;

export const primaryChains: readonly PrimaryChain[] = [P_CHAIN, X_CHAIN, C_CHAIN];

export function chainIdOf(chain: PrimaryChain, network: Pick<NetworkInstance, "xChainId" | "cChainId">): Id {
  return [PLATFORM_CHAIN_ID, network.xChainId, network.cChainId][chain]!;
}

/** undefined for any other chain */
export function primaryChainOf(chainId: Id, network: Pick<NetworkInstance, "xChainId" | "cChainId">): PrimaryChain | undefined {
  return primaryChains.find((chain) => chainIdOf(chain, network) === chainId);
}
