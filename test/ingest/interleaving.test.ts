/** The order in which a source mixes its chains is a hint: whatever it is, the same rows come of it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import type { Source, SourceItem } from "../../src/sources/source.ts";
import { openStore } from "../../src/store/open.ts";
import { recordedRows } from "../conformance/recorded-rows.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { randomOf } from "../random.ts";
import { drawn, sized } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { withoutOrder } from "./order-free-rows.ts";

/** runs for each recording */
const RUNS = Number(process.env.FIRN_INTERLEAVINGS ?? sized({ whole: 2, share: 1 }));

async function recorded(name: RecordingName): Promise<{ source: Source; items: SourceItem[] }> {
  const source = await openArchive({ path: recordingFolder(name), instance: networkInstance });
  const items: SourceItem[] = [];
  for await (const run of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) items.push(...run);
  return { source, items };
}

async function rowsOf(source: Source, runs: readonly (readonly SourceItem[])[]): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  const inOrder = {
    ...source,
    async *items() {
      yield* runs;
    },
  };
  await ingestSource({ store, source: inOrder, level: "full" });
  await store.close();
  return storeRows(directory);
}

/** Each chain's items in their order, but in any order of chains: stretches of 1 to 100 items, in runs of 1 to 300. */
function interleaved(items: readonly SourceItem[], random: () => number): SourceItem[][] {
  const chains = new Map<string, SourceItem[]>();
  for (const item of items) {
    const chainId = item.kind === "shared-memory" ? item.operation.peerId : item.chainId;
    chains.set(chainId, [...(chains.get(chainId) ?? []), item]);
  }
  const queues = [...chains.values()];
  const mixed: SourceItem[] = [];
  while (queues.length > 0) {
    const at = Math.floor(random() * queues.length);
    mixed.push(...queues[at]!.splice(0, 1 + Math.floor(random() ** 3 * 100)));
    if (queues[at]!.length === 0) queues.splice(at, 1);
  }
  const runs: SourceItem[][] = [];
  while (mixed.length > 0) runs.push(mixed.splice(0, 1 + Math.floor(random() ** 2 * 300)));
  return runs;
}

test.each(drawn("whose chains come in any order", ["latest-1", "eras-1", "live-1"] as const, 1))(
  "%s gives the same rows in whatever order its chains come",
  async (name) => {
    const { source, items } = await recorded(name);
    const expected = await recordedRows(name);
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const found = await rowsOf(source, interleaved(items, randomOf(seed)));
        expect(firstDifference(withoutOrder(found), withoutOrder(expected))).toBeUndefined();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
);
