import { expect, test } from "vitest";
import type { AnswerReader } from "../../../src/base/json/json-events.ts";
import { JsonReader } from "../../../src/base/json/json-reader.ts";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import { openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { CallTraceReader } from "../../../src/sources/evm/parser/call-trace-reader.ts";
import { FlatTraceReader } from "../../../src/sources/evm/parser/flat-trace-reader.ts";
import { EVM_RECORDINGS, recordingFolder } from "../../conformance/recordings.ts";
import { readRecording } from "../../evm/replay-rpc/recording.ts";
import { traceBlockForm } from "../../evm/replay-rpc/trace-block-form.ts";

function read(traces: unknown, reader: AnswerReader): unknown {
  const bytes = Buffer.from(JSON.stringify(traces));
  const json = new JsonReader(reader, { maxDepth: 2200, maxTextBytes: 1e8 });
  for (let at = 0; at < bytes.length; at += 1000) json.write(bytes.subarray(at, at + 1000));
  json.end();
  return reader.result();
}

test.each(EVM_RECORDINGS)("Traces of %s that are read as they come tell the same as those that are parsed whole, in both forms", (name) => {
  for (const recorded of readRecording(recordingFolder(name)).blocks) {
    const { block, receipts } = recorded;
    if (recorded.traces === null || receipts.length === 0) continue;
    const factsOf = (traces: unknown) =>
      decodeBlock(openBlock({ block, receipts, traces }).block(), () => undefined).transactions.map(({ internals, deployments }) => ({
        internals,
        deployments,
      }));
    expect(factsOf(read(recorded.traces, new CallTraceReader("block")))).toEqual(factsOf(recorded.traces));
    const flat = traceBlockForm(recorded);
    expect(factsOf(read(flat, new FlatTraceReader()))).toEqual(factsOf(flat));
  }
});
