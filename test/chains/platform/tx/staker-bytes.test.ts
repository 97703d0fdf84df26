import { expect, test } from "vitest";
import { stakerBytes } from "../../../../src/chains/platform/tx/base.ts";
import { parseTx } from "../../../../src/chains/platform/tx/registry.ts";
import { stakerDefinitions, stakerTx } from "../../../../src/chains/platform/tx/staker-tx.ts";
import { fromChecksummedHex, readLines } from "../../../conformance/asset/recording.ts";
import { bytesOf } from "../../../conformance/json-lines.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";

const recordings = ["latest-1", "eras-1", "p-eras-old"] as const;
const stakingKinds = stakerDefinitions.map(({ name }) => name as string);

function recordedTxs() {
  return recordings.flatMap((name) =>
    readLines(recordingFolder(name), "txs/P.jsonl").map((line) => {
      const { hex } = JSON.parse(line) as { hex: string };
      return parseTx(name === "p-eras-old" ? bytesOf(hex) : fromChecksummedHex(hex));
    }),
  );
}

test("a staker's row keeps its transaction but for inputs, memo and signatures, of every kind", () => {
  const seen = new Set<string>();
  for (const tx of recordedTxs()) {
    const { unsigned } = tx;
    if (!stakingKinds.includes(unsigned.kind) || !("inputs" in unsigned)) continue;
    seen.add(unsigned.kind);
    const bytes = stakerBytes({ unsigned, unsignedBytes: tx.unsignedBytes } as Parameters<typeof stakerBytes>[0]);
    const kept = stakerTx({ tx: bytes });
    expect(kept.unsigned).toEqual({ ...unsigned, inputs: [], memo: Buffer.alloc(0) });
    expect(kept.credentials).toEqual([]);
    expect(kept.bytes.equals(bytes)).toBe(true);
    const dropped = unsigned.inputs.length > 0 || tx.credentials.length > 0;
    if (dropped) expect(bytes.length).toBeLessThan(tx.bytes.length);
  }
  expect([...seen].sort()).toEqual([...stakingKinds].sort());
});
