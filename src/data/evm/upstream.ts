/** What is not indexed, asked from the chain's own node while a client waits. Nothing that the node says is shown as it is. */
import type { RpcCall, RpcOutcome } from "../../evm/rpc/evm-rpc.ts";
import { EvmRpcError } from "../../evm/rpc/evm-rpc-error.ts";
import { DataError } from "../errors.ts";
import type { EvmChain } from "./evm-chain.ts";

/** The node's answers, in the order of the calls; where it refused a call, its error. Throws 503 if there is no node, or it does not answer. */
export async function askNode(
  { rpc, evmChainId }: EvmChain,
  height: bigint,
  calls: readonly RpcCall[],
): Promise<readonly (unknown | EvmRpcError)[]> {
  if (calls.length === 0) return [];
  if (rpc === undefined) throw new DataError(503, `this server knows no node of chain ${evmChainId}, which alone knows these balances`);
  const outcomes = await rpc.requestAll(calls, { isInteractive: true });
  return outcomes.map((outcome) => answerOf(outcome, evmChainId, height));
}

function answerOf(outcome: RpcOutcome, evmChainId: bigint, height: bigint): unknown {
  if (!("error" in outcome)) return outcome.result;
  const { error } = outcome;
  if (!(error instanceof EvmRpcError)) throw error;
  switch (error.failure) {
    case "refused":
      return error;
    case "no-state":
      throw new DataError(503, `the node of chain ${evmChainId} has no state of block ${height} any more; ask for a newer block`);
    case "malformed":
    case "unsupported":
    case "too-large":
      throw wrongAnswer(evmChainId);
    default:
      throw new DataError(503, `the node of chain ${evmChainId} does not answer; try again later`);
  }
}

export function wrongAnswer(evmChainId: bigint): DataError {
  return new DataError(502, `the node of chain ${evmChainId} gave a wrong answer`);
}

/** As the node writes heights. */
export function blockTag(height: bigint): string {
  return `0x${height.toString(16)}`;
}
