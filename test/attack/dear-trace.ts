/**
 * A transaction that is cheap to execute but expensive to trace: 400 calls with 400 kB of input each cost 431,261 gas, because memory is
 * paid for once, and make a trace of 320 MB.
 */
import type { Frame, RecordedBlock } from "../evm/replay-rpc/recording.ts";

const CALLS = 400;
const INPUT_BYTES = 400_000;

export function* dearTrace(blocks: readonly RecordedBlock[], method: string, params: readonly unknown[]): Generator<string> {
  const [asked] = params;
  const isTransaction = method === "debug_traceTransaction";
  const block = blocks.find(
    ({ block: { number, hash, transactions } }) =>
      number === asked || hash === asked || (isTransaction && transactions.some((transaction) => transaction.hash === asked)),
  );
  const traces = block?.traces ?? [];
  if (isTransaction) {
    const index = traces.findIndex(({ txHash }) => txHash === asked);
    yield* index === 0 ? dearFrame(traces[0]!.result) : [JSON.stringify(traces[index]?.result ?? null)];
    return;
  }
  yield "[";
  for (const [index, { txHash, result }] of traces.entries()) {
    yield `${index === 0 ? "" : ","}{"txHash":"${txHash}","result":`;
    yield* index === 0 ? dearFrame(result) : [JSON.stringify(result)];
    yield "}";
  }
  yield "]";
}

function* dearFrame(frame: Frame): Generator<string> {
  const { calls = [], ...own } = frame;
  const input = `0x${"00".repeat(INPUT_BYTES)}`;
  const call = JSON.stringify({
    type: "CALL",
    from: frame.to ?? frame.from,
    to: frame.from,
    value: "0x0",
    gas: "0x100",
    gasUsed: "0x0",
    input,
  });
  yield `${JSON.stringify(own).slice(0, -1)},"calls":[${calls.map((known) => `${JSON.stringify(known)},`).join("")}`;
  for (let index = 0; index < CALLS; index++) yield `${index === 0 ? "" : ","}${call}`;
  yield "]}";
}
