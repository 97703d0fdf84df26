/**
 * The C-chain's upgrade-dependent rules: the EVM's instruction set and the gas price. A development network's base fee stays at the
 * upgrade's minimum.
 */
import { isActive, type NetworkInstance } from "../../../network/network.ts";

export type Hardfork = "london" | "shanghai" | "cancun";

const GWEI = 1_000_000_000n;

export function hardforkAt(network: NetworkInstance, at: bigint): Hardfork {
  if (isActive(network, "etna", at)) return "cancun";
  return isActive(network, "durango", at) ? "shanghai" : "london";
}

/** The minimum base fee in aAVAX per gas. */
export function baseFeeAt(network: NetworkInstance, at: bigint): bigint {
  if (isActive(network, "fortuna", at)) return 1n;
  return isActive(network, "etna", at) ? GWEI : 25n * GWEI;
}
