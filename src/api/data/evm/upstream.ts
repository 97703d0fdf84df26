/** Asks the chain's own node for data that is not indexed, while a client waits. Every answer of the node is checked before it is used. */

import { UpstreamError } from "../../../sources/upstream/upstream-error.ts";
import type { RpcCall, RpcOutcome } from "../../../sources/upstream/upstream-rpc.ts";
import { DataError } from "../errors.ts";
import type { EvmChain } from "./evm-chain.ts";

/**
 * Returns the node's answers in the order of the calls; for a refused call, its error. Throws 503 if there is no node, or it does not
 * answer.
 */
export async function askNode(
  { rpc, evmChainId }: EvmChain,
  height: bigint,
  calls: readonly RpcCall[],
): Promise<readonly (unknown | UpstreamError)[]> {
  if (calls.length === 0) return [];
  if (rpc === undefined) throw new DataError(503, `these balances need a node of chain ${evmChainId}, and this server has none`);
  const outcomes = await rpc.requestAll(calls, { isInteractive: true });
  return outcomes.map((outcome) => answerOf(outcome, evmChainId, height));
}

function answerOf(outcome: RpcOutcome, evmChainId: bigint, height: bigint): unknown {
  if (!("error" in outcome)) return outcome.result;
  const { error } = outcome;
  if (!(error instanceof UpstreamError)) throw error;
  switch (error.failure) {
    case "refused":
      return error;
    case "no-state":
      throw new DataError(503, `the node of chain ${evmChainId} no longer has the state of block ${height}; ask for a newer block`);
    case "malformed":
    case "unsupported":
    case "too-large":
      throw wrongAnswer(evmChainId);
    default:
      throw new DataError(503, `the node of chain ${evmChainId} does not answer; try again later`);
  }
}

export function wrongAnswer(evmChainId: bigint): DataError {
  return new DataError(502, `the node of chain ${evmChainId} returned an invalid response`);
}

/** A height as nodes write it. */
export function blockTag(height: bigint): string {
  return `0x${height.toString(16)}`;
}
