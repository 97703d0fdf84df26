/**
 * Parses traces of `debug_traceBlockByNumber` with callTracer: a tree per transaction. The traces of anvil and coreth differ in gas and in
 * which failed frames they contain.
 */
import { AnswerError, AnswerObject } from "./answer-object.ts";
import { frameType, MAX_DEPTH, type TraceFrame, type TransactionTrace, ZERO_ADDRESS } from "./trace-frame.ts";

export function parseCallTracer(traces: readonly unknown[], where: string): TransactionTrace[] {
  return traces.map((entry, index) => {
    const trace = new AnswerObject(entry, `${where}: traces[${index}]`);
    if (trace.has("error")) throw trace.wrong("error", "absent: the node could not trace the transaction");
    const frames: TraceFrame[] = [];
    addFrames(trace.object("result"), 0, frames);
    return { transactionHash: trace.has("txHash") ? trace.hash("txHash") : undefined, frames };
  });
}

/** Parses the trace of `debug_traceTransaction`. */
export function parseCallTrace(trace: unknown, where: string): TransactionTrace {
  const frames: TraceFrame[] = [];
  addFrames(new AnswerObject(trace, where), 0, frames);
  return { transactionHash: undefined, frames };
}

function addFrames(frame: AnswerObject, depth: number, frames: TraceFrame[]): void {
  if (depth > MAX_DEPTH) throw new AnswerError(`${frame.where} is deeper than ${MAX_DEPTH} calls, the most that an EVM allows`);
  frames.push(parseFrame(frame, depth));
  if (!frame.has("calls")) return;
  for (const call of frame.list("calls")) addFrames(new AnswerObject(call, `${frame.where}.calls[]`), depth + 1, frames);
}

export function parseFrame(frame: AnswerObject, depth: number): TraceFrame {
  const type = frameType(frame.text("type").toUpperCase());
  const isCreated = type === "CREATE" || type === "CREATE2";
  const error = frame.has("error") ? frame.text("error") : undefined;
  const mayLackTo = isCreated ? error !== undefined : type === "SELFDESTRUCT" || type === "OTHER";
  const to = frame.has("to") || !mayLackTo ? frame.address("to") : undefined;
  return {
    type,
    depth,
    from: frame.address("from"),
    // anvil omits the recipient if a contract destroys itself in favour of itself
    to: to ?? (isCreated ? undefined : ZERO_ADDRESS),
    value: frame.optionalQuantity("value") ?? 0n,
    gasLimit: frame.optionalUint64("gas") ?? 0n,
    gasUsed: frame.optionalUint64("gasUsed") ?? 0n,
    error,
    codeLength: isCreated && error === undefined && frame.has("output") ? frame.byteLength("output") : 0,
    initCode: type === "CREATE2" ? frame.knownText("input") : undefined,
  };
}
