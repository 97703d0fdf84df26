/** Ingests whole recordings: every way of doing so must produce the same rows. */
import { describe, expect, test } from "vitest";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { type BatchLimits, DEFAULT_BATCH } from "../../src/ingest/ingester.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { openStoreReplay } from "../../src/ingest/store-replay.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import { openStore } from "../../src/store/open.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordedRows } from "../conformance/recorded-rows.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { drawn } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";

interface ImportOptions {
  until?: Record<string, bigint>;
  limits?: BatchLimits;
}

async function importRecording(directory: string, name: RecordingName, { until = {}, limits = DEFAULT_BATCH }: ImportOptions = {}) {
  const source = await openArchive({ path: recordingFolder(name), instance: networkInstance, until: new Map(Object.entries(until)) });
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  try {
    return (await ingestSource({ store, source, level: "replay", limits })).progress;
  } finally {
    await store.close();
  }
}

/** In large batches; many test files need these stores, so each is made once. */
function importWhole(directory: string, name: RecordingName): Promise<void> {
  return importUntil(recordingFolder(name), directory, {}, "replay");
}

async function reindexInto(directory: string, from: string): Promise<void> {
  const old = await openStore({ directory: from, mode: "read" });
  const store = await openStore({ directory, mode: "write" });
  await ingestSource({ store, source: await openStoreReplay(old, from), level: "replay" });
  await store.close();
  await old.close();
}

describe("importing", () => {
  test.each(drawn("imported block by block", ["x-dag", "latest-1", "eras-1", "p-eras-old"] as const, 2))(
    "block by block gives the rows of large batches: %s",
    async (name) => {
      const single = scratchDirectory();
      await importRecording(single, name, { limits: { ...DEFAULT_BATCH, blocks: 1 } });
      expect(firstDifference(await storeRows(single), await recordedRows(name))).toBeUndefined();
    },
  );

  test("stops at the heights given and goes on from there to the same rows", async () => {
    const [whole, parts] = [scratchDirectory(), scratchDirectory()];
    const all = await importRecording(whole, "latest-1");
    // of a checkpoint, so that they belong to one instant: else the order of ingest would differ
    const first = await importRecording(parts, "latest-1", { until: { P: 36n, X: 119n, C: 10n } });
    expect([...first.heights.values()].sort()).toEqual([10n, 119n, 36n]);
    expect(await importRecording(parts, "latest-1")).toEqual(all);
    expect(firstDifference(await storeRows(parts), await storeRows(whole))).toBeUndefined();
  });

  test("stops before an option without its proposal, and takes both later", async () => {
    const [whole, parts] = [scratchDirectory(), scratchDirectory()];
    await importRecording(whole, "p-eras-old", { until: { P: 60n } });
    for (let height = 1n; height <= 60n; height++) {
      const { heights } = await importRecording(parts, "p-eras-old", { until: { P: height } });
      expect([height - 1n, height]).toContain(heights.get(parseId("11111111111111111111111111111111LpoYY")));
    }
    expect(firstDifference(await storeRows(parts), await storeRows(whole))).toBeUndefined();
  });

  test("names the chains there are if --until names another", async () => {
    await expect(importRecording(scratchDirectory(), "x-dag", { until: { P: 1n } })).rejects.toThrow(/has blocks of X/);
  });
});

describe("reindexing", () => {
  test.each(drawn("rebuilt", ["latest-1", "eras-1", "x-dag", "p-eras-old"] as const, 2))(
    "rebuilds the same rows from the store alone: %s",
    async (name) => {
      const [imported, rebuilt] = [scratchDirectory(), scratchDirectory()];
      await importWhole(imported, name);
      await reindexInto(rebuilt, imported);
      expect(firstDifference(await storeRows(rebuilt), await storeRows(imported))).toBeUndefined();
    },
  );
});
