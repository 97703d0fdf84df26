/** The calls for call traces of a block and of one transaction, in the forms that nodes support. */

import type { RpcCall } from "../upstream/upstream-rpc.ts";
import type { Hash } from "./parser/block.ts";
import { CallTraceReader } from "./parser/call-trace-reader.ts";
import { FlatTraceReader } from "./parser/flat-trace-reader.ts";

export type Tracer = "debug_traceBlockByNumber" | "trace_block";

const CALL_TRACER = { tracer: "callTracer" };

export function blockTraceCall(tracer: Tracer, height: bigint): RpcCall {
  const block = `0x${height.toString(16)}`;
  return tracer === "trace_block"
    ? { method: tracer, params: [block], reader: () => new FlatTraceReader() }
    : { method: tracer, params: [block, CALL_TRACER], reader: () => new CallTraceReader("block") };
}

export function transactionTraceCall(tracer: Tracer, hash: Hash): RpcCall {
  const transaction = `0x${hash}`;
  return tracer === "trace_block"
    ? { method: "trace_transaction", params: [transaction], reader: () => new FlatTraceReader() }
    : { method: "debug_traceTransaction", params: [transaction, CALL_TRACER], reader: () => new CallTraceReader("transaction") };
}
