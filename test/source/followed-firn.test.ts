/** Firn follows Firn: what it serves is what a node would, released step by step, and a devnet that works meanwhile. */
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { PLATFORM_CHAIN_ID } from "../../src/primitives/id.ts";
import { openArchive } from "../../src/source/archive.ts";
import { openNodeSource } from "../../src/source/node/node-source.ts";
import type { Source } from "../../src/source/source.ts";
import { openStore } from "../../src/store/open.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { withoutOrder } from "../ingest/order-free-rows.ts";
import { serveHere } from "../server/serve-here.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { withoutContainers } from "./bare-blocks.ts";

const log = pino({ level: "silent" });
const stopping: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop();
});

type Heights = Readonly<Record<"P" | "X" | "C", number>>;

/** Follows in the background until it is stopped. */
async function follow({ network, networkFile }: Pick<Source, "network" | "networkFile">, url: string, reading: "index" | "height") {
  const directory = scratchDirectory();
  const source = openNodeSource({ network, networkFile, upstreams: [url], log, reading });
  const store = await openStore({ directory, mode: "write", network, isTemporary: true });
  const ending = new AbortController();
  let heights: ReadonlyMap<string, bigint> = new Map();
  const ingesting = ingestSource({
    store,
    source,
    level: "full",
    signal: ending.signal,
    onCommit: (_, { progress }) => {
      heights = progress.heights;
    },
  });
  const stop = async () => {
    ending.abort();
    await ingesting.finally(() => Promise.all([source.close(), store.close()]));
  };
  return { directory, stop, heights: () => [...heights.values()].map(Number).sort((a, b) => a - b) };
}

const RELEASES: readonly Heights[] = [
  { P: 9, X: 31, C: 10 },
  { P: 90, X: 119, C: 10 },
  { P: 225, X: 233, C: 25 },
];

describe("a follower of a Firn", () => {
  test("has its rows, through its index", async () => {
    const { upstream, follower } = await followedSteps("index");
    const [found, expected] = [await storeRows(follower.directory), await storeRows(upstream)];
    expect(firstDifference(withoutOrder(found), withoutOrder(expected))?.slice(0, 300)).toBeUndefined();
  });

  test("has the rows of bare blocks, block by block; the C-chain's from its index, since it has no RPC", async () => {
    const { archive, follower } = await followedSteps("height");
    const bare = withoutContainers(archive, [PLATFORM_CHAIN_ID, archive.network.xChainId]);
    const expected = await rowsOf(bare);
    expect(firstDifference(withoutOrder(await storeRows(follower.directory)), withoutOrder(expected))?.slice(0, 300)).toBeUndefined();
  });
});

async function followedSteps(reading: "index" | "height") {
  const folder = recordingFolder("latest-1");
  const upstream = scratchDirectory();
  const archive = await openArchive({ path: folder, instance: networkInstance });
  await importUntil(folder, upstream, RELEASES[0]!, "full");
  let serving = await serveHere(upstream);
  stopping.push(() => serving.stop());
  const follower = await follow(archive, serving.url, reading);
  for (const heights of RELEASES) {
    // the upstream is away meanwhile
    await serving.stop();
    await importUntil(folder, upstream, heights, "full");
    serving = await serveHere(upstream, { httpPort: Number(new URL(serving.url).port) });
    await expect.poll(follower.heights).toEqual(Object.values(heights).sort((a, b) => a - b));
  }
  await follower.stop();
  return { archive, upstream, follower };
}

async function rowsOf(source: Source): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level: "full" });
  await store.close();
  return storeRows(directory);
}
