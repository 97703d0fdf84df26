/** Asks the chain's node for the calls of a transaction, while a client waits. */

import { Places } from "../../../../base/work/places.ts";
import { AnswerError } from "../../../../sources/evm/parser/answer-object.ts";
import { type CallTree, CallTreeReader, readCallTree } from "../../../../sources/evm/parser/call-tree-reader.ts";
import { UpstreamError } from "../../../../sources/upstream/upstream-error.ts";
import type { RpcCall, RpcOutcome, UpstreamRpc } from "../../../../sources/upstream/upstream-rpc.ts";
import { DataError } from "../../errors.ts";
import type { EvmChain } from "../evm-chain.ts";
import type { TransactionRow } from "../present-transaction.ts";
import { wrongAnswer } from "../upstream.ts";

const MIB = 2 ** 20;
/** Anybody can make a transaction whose trace has hundreds of megabytes. */
const MOST_MIB = 32;
/** A node takes as long for a trace as for the transaction and all before it in its block. */
const SECONDS = 5;
/** of all clients: traces are dear to a node */
const PLACES = 2;
const MOST_WAITING = 16;

const places = new WeakMap<UpstreamRpc, Places>();

/** Throws 503, and 502 if the node's answer cannot be of this transaction. */
export async function askCalls({ evmChainId, settings, rpc }: EvmChain, { hash, from }: TransactionRow): Promise<CallTree> {
  if (!settings.traces) throw new DataError(503, `call traces of chain ${evmChainId} are turned off here`);
  if (rpc === undefined) throw new DataError(503, `calls need a node of chain ${evmChainId}, and this server has none`);
  const call: RpcCall = {
    method: "debug_traceTransaction",
    params: [`0x${hash}`, { tracer: "callTracer" }],
    reader: () => new CallTreeReader(),
    mostBytes: MOST_MIB * MIB,
  };
  const ofNode = places.get(rpc) ?? new Places(PLACES, MOST_WAITING);
  places.set(rpc, ofNode);
  const [outcome] = await ofNode.pass(`too many clients ask for calls of chain ${evmChainId} at the moment; try again later`, () =>
    // Whose time is up is not counted against the node, as it would be with `timeoutMs`.
    rpc.requestAll([call], {
      isInteractive: true,
      attempts: 1,
      timeoutMs: 2 * SECONDS * 1000,
      signal: AbortSignal.timeout(SECONDS * 1000),
    }),
  );
  const tree = treeOf(outcome!, evmChainId);
  if (tree.calls[0]!.from !== from) throw wrongAnswer(evmChainId);
  return tree;
}

function treeOf(outcome: RpcOutcome, evmChainId: bigint): CallTree {
  if ("error" in outcome) throw outcome.error instanceof AnswerError ? wrongAnswer(evmChainId) : withoutTrace(outcome.error, evmChainId);
  try {
    return readCallTree(outcome.result);
  } catch (error) {
    throw error instanceof AnswerError ? wrongAnswer(evmChainId) : error;
  }
}

function withoutTrace(error: Error, evmChainId: bigint): Error {
  if (!(error instanceof UpstreamError)) return error;
  const node = `the node of chain ${evmChainId}`;
  switch (error.failure) {
    case "unsupported":
      return new DataError(503, `${node} has no debug_traceTransaction, from which calls are read`);
    case "refused":
    case "no-state":
      return new DataError(503, `${node} does not trace this transaction: it may no longer have the state before it`);
    case "too-large":
      return new DataError(503, `the call trace of this transaction has more than ${MOST_MIB} MiB`);
    case "aborted":
      return new DataError(503, `${node} takes more than ${SECONDS} seconds to trace this transaction`);
    case "malformed":
      return wrongAnswer(evmChainId);
    default:
      return new DataError(503, `${node} does not answer; try again later`);
  }
}
