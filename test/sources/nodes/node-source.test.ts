/** Follows recordings that are served as the reference node would serve them, by each way of reading. */
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { ingestSource } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { type NodeSourceOptions, openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { LiveSource, Source } from "../../../src/sources/source.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordedRows } from "../../conformance/recorded-rows.ts";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { withoutOrder } from "../../ingest/order-free-rows.ts";
import { drawn } from "../../share.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { ReplayNode } from "../upstream/replay-node.ts";
import { withoutContainers } from "./bare-blocks.ts";

const log = pino({ level: "silent" });
const nodes: ReplayNode[] = [];
const sources: LiveSource[] = [];

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function nodeOf(name: RecordingName): Promise<ReplayNode> {
  const node = await ReplayNode.start({ recording: recordingFolder(name) });
  nodes.push(node);
  return node;
}

function archiveOf(name: RecordingName): Promise<Source> {
  return openArchive({ path: recordingFolder(name), instance: networkInstance });
}

function follow(archive: Source, upstreams: readonly ReplayNode[], options: Partial<NodeSourceOptions> = {}): LiveSource {
  const { network, networkFile } = archive;
  const source = openNodeSource({ network, networkFile, upstreams: upstreams.map(({ url }) => url), log, ...options });
  sources.push(source);
  return source;
}

function untilEnd({ lastHeights }: ReplayNode): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(lastHeights));
}

async function rowsOf(source: Source): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level: "full" });
  await store.close();
  return storeRows(directory);
}

describe("a node that is followed", () => {
  test.each(drawn("followed through the index", ["latest-1", "eras-1", "live-1"] as const, 1))(
    "through its index gives the rows of the recorded blocks: %s",
    async (name) => {
      const [node, archive] = [await nodeOf(name), await archiveOf(name)];
      node.releaseAll();
      const found = await rowsOf(follow(archive, [node], { until: untilEnd(node) }));
      expect(firstDifference(withoutOrder(found), withoutOrder(await recordedRows(name)))).toBeUndefined();
    },
  );

  test("that ends without the exports that a chain waits for says which", async () => {
    const [node, archive] = [await nodeOf("p-eras-old"), await archiveOf("p-eras-old")];
    node.releaseAll();
    node.hasIndex = false;
    const source = follow(archive, [node], { until: untilEnd(node) });
    await expect(rowsOf(source)).rejects.toThrow(/it waits for UTXO \w+ of chain/);
  });

  test.each(drawn("followed block by block", ["latest-1", "eras-1", "live-1"] as const, 1))(
    "block by block gives the rows of bare blocks: %s",
    async (name) => {
      const [node, archive] = [await nodeOf(name), await archiveOf(name)];
      node.releaseAll();
      node.hasIndex = false;
      const found = await rowsOf(follow(archive, [node], { until: untilEnd(node) }));
      const expected = await rowsOf(withoutContainers(archive));
      expect(firstDifference(withoutOrder(found), withoutOrder(expected))).toBeUndefined();
    },
  );
});
