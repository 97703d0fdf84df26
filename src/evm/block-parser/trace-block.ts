/** Traces of `trace_block` (OpenEthereum's form, also Nethermind's, Erigon's, Reth's and anvil's): one flat list in pre-order. */
import type { FrameType } from "../block.ts";
import { AnswerError, AnswerObject } from "./answer-object.ts";
import { frameType, MAX_DEPTH, type TraceFrame, type TransactionTrace, ZERO_ADDRESS } from "./trace-frame.ts";

export function isTraceBlockForm(traces: readonly unknown[]): boolean {
  const first = traces[0];
  return typeof first === "object" && first !== null && "action" in first;
}

export function parseTraceBlock(traces: readonly unknown[], where: string): TransactionTrace[] {
  const transactions: TransactionTrace[] = [];
  for (const [index, entry] of traces.entries()) {
    const trace = new AnswerObject(entry, `${where}: traces[${index}]`);
    // what a miner gets belongs to no transaction
    if (trace.text("type") === "reward") continue;
    const frame = parseFrame(trace);
    const last = transactions.at(-1);
    if (frame.depth === 0) transactions.push({ transactionHash: trace.hash("transactionHash"), frames: [frame] });
    else if (last === undefined || last.transactionHash !== trace.hash("transactionHash") || frame.depth > last.frames.at(-1)!.depth + 1) {
      throw trace.wrong("traceAddress", "that of the next frame in the order of calls");
    } else last.frames.push(frame);
  }
  return transactions;
}

function parseFrame(trace: AnswerObject): TraceFrame {
  const action = trace.object("action");
  const depth = trace.list("traceAddress").length;
  if (depth > MAX_DEPTH) throw new AnswerError(`${trace.where} is deeper than ${MAX_DEPTH} calls; no EVM nests so many`);
  const error = trace.has("error") ? trace.text("error") : undefined;
  const result = trace.has("result") ? trace.object("result") : undefined;
  const type = typeOf(trace.text("type"), action);
  const frame = {
    type,
    depth,
    value: action.optionalQuantity("value") ?? action.optionalQuantity("balance") ?? 0n,
    gasLimit: action.optionalUint64("gas") ?? 0n,
    gasUsed: result?.optionalUint64("gasUsed") ?? 0n,
    error,
    codeLength: 0,
    initCode: type === "CREATE2" && action.has("init") ? action.text("init") : undefined,
  };
  if (type === "SELFDESTRUCT")
    return { ...frame, from: action.address("address"), to: action.optionalAddress("refundAddress") ?? ZERO_ADDRESS };
  if (type === "OTHER")
    return { ...frame, from: action.optionalAddress("from") ?? ZERO_ADDRESS, to: action.optionalAddress("to") ?? ZERO_ADDRESS };
  if (type !== "CREATE" && type !== "CREATE2") return { ...frame, from: action.address("from"), to: action.address("to") };
  if (error !== undefined) return { ...frame, from: action.address("from"), to: undefined };
  if (result === undefined) throw trace.wrong("result", "an object, since there is no error");
  return {
    ...frame,
    from: action.address("from"),
    to: result.address("address"),
    codeLength: result.has("code") ? result.byteLength("code") : 0,
  };
}

function typeOf(kind: string, action: AnswerObject): FrameType {
  if (kind === "suicide" || kind === "selfdestruct") return "SELFDESTRUCT";
  if (kind === "create") return action.has("creationMethod") && action.text("creationMethod") === "create2" ? "CREATE2" : "CREATE";
  return kind === "call" ? frameType(action.text("callType").toUpperCase()) : "OTHER";
}
