/**
 * A Firn that serves a recording while it imports it, step by step, and a follower of that Firn, which is at the tip after each step. An
 * import serves P and X both ways, and C through its index alone: it runs no EVM, so it has neither C's RPC nor a WebSocket.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import type { RuleLevel } from "../../../src/base/errors/rule-level.ts";
import { pause } from "../../../src/base/work/pause.ts";
import { type IngestSourceOptions, ingestSource, openAtGenesis } from "../../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { Serving } from "../../../src/serve/serve.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import type { Source } from "../../../src/sources/source.ts";
import { type FolderStore, openStore } from "../../../src/store/open.ts";
import { type Checkpoint, type CheckpointOptions, runCheckpoints, type Totals } from "../../conformance/checkpoints.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { withoutOrder } from "../../ingest/order-free-rows.ts";
import { serveStoreHere } from "../../serve/serve-here.ts";
import { OF_CONTAINERS, withoutContainers } from "./bare-blocks.ts";

export interface FollowedImportOptions extends Omit<CheckpointOptions, "fill" | "directory"> {
  /** how P and X are read */
  readonly reading: "index" | "height";
  /** what is released at once; the next ones wait for the follower */
  readonly stepBlocks: number;
}

export interface FollowedTotals extends Totals {
  /** undefined: the follower has its upstream's rows or, block by block, those of an import of bare blocks */
  readonly difference: string | undefined;
}

/**
 * Sends the requests of the recording's checkpoints to the follower's store, and compares the rows in the end. The follower goes on with its
 * store after each checkpoint.
 */
export async function runFollowedImport(folder: string, options: FollowedImportOptions): Promise<FollowedTotals> {
  const { reading, stepBlocks, level = "full" } = options;
  const scratch = mkdtempSync(join(tmpdir(), "firn-followed-"));
  const [upstream, directory] = [await SteppedImport.start(folder, join(scratch, "upstream"), level), join(scratch, "follower")];
  try {
    const skip = [...(options.skip ?? []), ...(reading === "height" ? OF_CONTAINERS : [])];
    const fill = async (_: string, __: string, heights: Checkpoint["heights"]) => {
      const follower = await follow(upstream, { directory, level, reading });
      await upstream.release(heights, stepBlocks, follower.reached).finally(follower.stop);
    };
    const totals = await runCheckpoints(folder, { ...options, ...(skip.length > 0 && { skip }), directory, fill });
    const expected = reading === "index" ? upstream.directory : await bareImport(join(scratch, "bare"), upstream);
    await upstream.stop();
    const rowsOf = async (store: string) => withoutOrder(await storeRows(store));
    return { ...totals, difference: firstDifference(await rowsOf(directory), await rowsOf(expected)) };
  } finally {
    await upstream.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Heights = ReadonlyMap<Id, bigint>;

class SteppedImport {
  readonly folder: string;
  readonly directory: string;
  readonly level: RuleLevel;
  readonly network: Pick<Source, "network" | "networkFile">;
  readonly #store: FolderStore;
  #serving: Serving;
  #isStopped = false;
  /** what was released */
  heights: Checkpoint["heights"] = { P: 0, X: 0, C: 0 };

  private constructor(of: Pick<SteppedImport, "folder" | "directory" | "level" | "network">, store: FolderStore, serving: Serving) {
    ({ folder: this.folder, directory: this.directory, level: this.level, network: this.network } = of);
    this.#store = store;
    this.#serving = serving;
  }

  /** At genesis. */
  static async start(folder: string, directory: string, level: RuleLevel): Promise<SteppedImport> {
    const source = await archiveOf(folder);
    const { network } = source;
    const store = await openStore({ directory, mode: "write", network, isTemporary: true });
    await openAtGenesis({ store, source, level });
    const serving = await serveStoreHere({ store, network }, directory);
    return new SteppedImport({ folder, directory, level, network: source }, store, serving);
  }

  get url(): string {
    return this.#serving.url;
  }

  /** The server is away during the first step, and serves while the others are imported. */
  async release(heights: Checkpoint["heights"], stepBlocks: number, reached: (heights: Heights) => Promise<void>): Promise<void> {
    const [store, { network }] = [this.#store, this.network];
    await this.#serving.stop();
    let isAway = true;
    const back = async () => {
      if (!isAway) return;
      isAway = false;
      this.#serving = await serveStoreHere({ store, network }, this.directory, { httpPort: Number(new URL(this.url).port) });
    };
    let committed: Heights = new Map();
    const afterStep = async () => {
      await back();
      await reached(committed);
    };
    const onCommit: IngestSourceOptions["onCommit"] = (_, { progress }) => {
      committed = progress.heights;
    };
    const source = stepped(await archiveOf(this.folder, heights), stepBlocks, afterStep);
    await ingestSource({ store, source, level: this.level, onCommit }).finally(back);
    await reached(committed);
    this.heights = heights;
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#serving.stop();
    await this.#store.close();
  }
}

/** The same items, a few at a time. @param afterStep called when these were committed, but for those that wait for other chains */
function stepped(source: Source, stepBlocks: number, afterStep: () => Promise<void>): Source {
  return {
    ...source,
    async *items(from, options) {
      for await (const run of source.items(from, options)) {
        for (let at = 0; at < run.length; at += stepBlocks) {
          yield run.slice(at, at + stepBlocks);
          await afterStep();
        }
      }
    },
  };
}

function archiveOf(folder: string, heights: Checkpoint["heights"] = {}): Promise<Source> {
  const until = new Map(Object.entries(heights).map(([chain, height]) => [chain, BigInt(height)]));
  return openArchive({ path: folder, instance: networkInstance, until });
}

/** What a follower has that reads P and X block by block, and C through the index. */
async function bareImport(directory: string, { folder, heights, level }: SteppedImport): Promise<string> {
  const archive = await archiveOf(folder, heights);
  const source = withoutContainers(archive, [PLATFORM_CHAIN_ID, archive.network.xChainId]);
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  await ingestSource({ store, source, level }).finally(() => store.close());
  return directory;
}

interface FollowOptions extends Pick<FollowedImportOptions, "reading"> {
  readonly directory: string;
  readonly level: RuleLevel;
}

interface Follower {
  /** Resolves when it has committed these; throws when it has ended. */
  reached(heights: Heights): Promise<void>;
  stop(): Promise<void>;
}

/** Follows in the background until it is stopped. */
async function follow({ url, network: { network, networkFile } }: SteppedImport, options: FollowOptions): Promise<Follower> {
  const { directory, level, reading } = options;
  const source = openNodeSource({ network, networkFile, upstreams: [url], log: pino({ level: "silent" }), reading });
  const store = await openStore({ directory, mode: "write", network, isTemporary: true });
  const ending = new AbortController();
  let { heights } = (await openAtGenesis({ store, source, level })).progress;
  let news = new AbortController();
  const onCommit: IngestSourceOptions["onCommit"] = (_, { progress }) => {
    heights = progress.heights;
    news.abort();
  };
  const ended = ingestSource({ store, source, level, signal: ending.signal, onCommit }).finally(async () => {
    news.abort();
    await Promise.all([source.close(), store.close()]);
  });
  // whoever waits for it or stops it is told
  ended.catch(() => {});
  return {
    async reached(wanted) {
      while ([...wanted].some(([chain, height]) => (heights.get(chain) ?? 0n) < height)) {
        news = new AbortController();
        await Promise.race([pause(60_000, news.signal), ended]);
      }
    },
    async stop() {
      ending.abort();
      await ended;
    },
  };
}
