/**
 * What of the C-chain's rules depends on the era: the EVM's instructions, and what gas costs. The base fee does not move in a development
 * network: it is the least that the era knows.
 */
import { isActive, type NetworkInstance } from "../network/network.ts";

export type Hardfork = "london" | "shanghai" | "cancun";

const GWEI = 1_000_000_000n;

export function hardforkAt(network: NetworkInstance, at: bigint): Hardfork {
  if (isActive(network, "etna", at)) return "cancun";
  return isActive(network, "durango", at) ? "shanghai" : "london";
}

/** aAVAX per gas */
export function baseFeeAt(network: NetworkInstance, at: bigint): bigint {
  if (isActive(network, "fortuna", at)) return 1n;
  return isActive(network, "etna", at) ? GWEI : 25n * GWEI;
}
