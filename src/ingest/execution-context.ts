import type { RuleLevel } from "../base/errors/rule-level.ts";
import type { ExecutionContext } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";

const NANOSECONDS = 1_000_000_000n;

/**
 * The clock used to verify a block is its time of acceptance, so that old blocks are checked as they were then. Of a block from before Banff
 * that came without its container the time is not known (0): what was locked until then was accepted, so it is not locked today.
 */
export function executionContext(network: NetworkInstance, level: RuleLevel, acceptedAt: bigint): ExecutionContext {
  return { network, level, clock: acceptedAt === 0n ? BigInt(Math.floor(Date.now() / 1000)) : acceptedAt / NANOSECONDS };
}
