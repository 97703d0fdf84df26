/** The P-chain from before Apricot Phase 3 on, read by height as every node gives it: its first blocks have no time, and proposals have options. */
import pino from "pino";
import { expect, test } from "vitest";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { Progress, Source, SourceItem } from "../../../src/sources/source.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { ReplayNode } from "../upstream/replay-node.ts";
import { withoutContainers } from "./bare-blocks.ts";

async function rowsOf(source: Source): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level: "replay" }).finally(() => store.close());
  return storeRows(directory);
}

/** The archive with each block as another source gives it: what only the archive has, of other chains' shared memory, stays in its place. */
function withBlocksOf(archive: Source, blocks: Source): Source {
  return {
    ...archive,
    async *items(from: Progress) {
      const read = single(blocks.items(from));
      for await (const item of single(archive.items(from))) yield [item.kind === "block" ? (await read.next()).value! : item];
    },
  };
}

async function* single(runs: AsyncIterable<readonly SourceItem[]>): AsyncGenerator<SourceItem, undefined> {
  for await (const run of runs) yield* run;
}

test("Blocks from before Banff that are read by height give the rows of the recorded blocks", async () => {
  const path = recordingFolder("p-eras-old");
  const archive = await openArchive({ path, instance: networkInstance });
  const node = await ReplayNode.start({ recording: path });
  node.releaseAll();
  node.hasIndex = false;
  const { network, networkFile } = archive;
  const until = new Map(Object.entries(node.lastHeights));
  const source = openNodeSource({ network, networkFile, upstreams: [node.url], log: pino({ level: "silent" }), reading: "height", until });
  try {
    const found = await rowsOf(withBlocksOf(archive, source));
    expect(firstDifference(found, await rowsOf(withoutContainers(await openArchive({ path, instance: networkInstance }))))).toBeUndefined();
    expect(node.counts.get("platform.getBlockByHeight")).toBeGreaterThanOrEqual(2_385);
  } finally {
    await source.close();
    await node.stop();
  }
});
