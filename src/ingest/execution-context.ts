import type { ExecutionContext } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { RuleLevel } from "../primitives/rule-level.ts";

const NANOSECONDS = 1_000_000_000n;

/** The wall clock of a block's verification is the time at which it was accepted, so that the past is judged as it was. */
export function executionContext(network: NetworkInstance, level: RuleLevel, acceptedAt: bigint): ExecutionContext {
  return { network, level, clock: acceptedAt / NANOSECONDS };
}
