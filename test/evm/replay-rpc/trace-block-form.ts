/** Call frames in the flat form of `trace_block`. */
import type { Frame, Json, RecordedBlock } from "./recording.ts";

export function traceBlockForm({ block, traces }: RecordedBlock): Json[] {
  return (traces ?? []).flatMap(({ txHash, result }, transactionPosition) => {
    const place = { blockHash: block.hash, blockNumber: Number(block.number), transactionHash: txHash, transactionPosition };
    return flatten(result, []).map((trace) => ({ ...trace, ...place }));
  });
}

function flatten(frame: Frame, traceAddress: readonly number[]): Json[] {
  const calls = frame.calls ?? [];
  const own = { ...kindOf(frame), ...(frame.error === undefined ? {} : { error: frame.error }), subtraces: calls.length, traceAddress };
  return [own, ...calls.flatMap((call, index) => flatten(call, [...traceAddress, index]))];
}

function kindOf(frame: Frame): Json {
  const { from, gas, gasUsed, input } = frame;
  const value = frame.value ?? "0x0";
  if (frame.type === "SELFDESTRUCT")
    return { type: "suicide", action: { address: from, balance: value, refundAddress: frame.to }, result: null };
  if (frame.type === "CREATE" || frame.type === "CREATE2") {
    const result = frame.error === undefined ? { address: frame.to, code: frame.output ?? "0x", gasUsed } : null;
    return { type: "create", action: { creationMethod: frame.type.toLowerCase(), from, gas, init: input, value }, result };
  }
  const result = frame.error === undefined ? { gasUsed, output: frame.output ?? "0x" } : null;
  return { type: "call", action: { callType: frame.type.toLowerCase(), from, to: frame.to, gas, input, value }, result };
}
