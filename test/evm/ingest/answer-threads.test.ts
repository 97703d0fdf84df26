/** Chains that are read on other threads: the same rows as without them, whatever happens to the threads. */
import { Worker } from "node:worker_threads";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { defaultThreads } from "../../../src/base/signatures/start-worker.ts";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { indexTables } from "../../../src/evm/index/chain-tables.ts";
import { evmChainSettings, evmChainStates, evmUpstreamNodes, evmUpstreams } from "../../../src/evm/index/tables.ts";
import { AnswerThreads } from "../../../src/evm/ingest/answer-threads.ts";
import { EncodedBlock } from "../../../src/evm/ingest/encoded-block.ts";
import { FollowedChain } from "../../../src/evm/ingest/followed-chain.ts";
import type { ReadRun } from "../../../src/sources/evm/read-block.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { scanAll } from "../../../src/store/store.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { eventuallyHolds } from "../../patience.ts";
import { drawn } from "../../share.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type ReplayOptions, startReplayRpc } from "../replay-rpc/replay-rpc.ts";

/** when a node was last heard, and its URL */
const SAID_OF_NODES: ReadonlySet<number> = new Set([evmUpstreams.id, evmUpstreamNodes.id, evmChainSettings.id]);
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Followed {
  readonly rows: ReadonlyMap<string, readonly unknown[]>;
  /** blocks that were given with rows, without them since the class of a token was not known yet, and not at all */
  readonly encoded: number;
  readonly rowless: number;
  readonly refused: number;
  readonly logged: readonly string[];
}

/** Counts what the threads return. */
class CountedThreads extends AnswerThreads {
  encoded = 0;
  rowless = 0;
  refused = 0;

  override readerOf(...parts: Parameters<AnswerThreads["readerOf"]>): ReadRun {
    const read = super.readerOf(...parts);
    return async (run) => {
      const blocks = await read(run);
      if (blocks === undefined) this.refused += run.count;
      for (const block of blocks ?? []) {
        if (block instanceof EncodedBlock) this.encoded++;
        else this.rowless++;
      }
      return blocks;
    };
  }
}

async function follow(
  options: Partial<ReplayOptions> & { readonly recording: "evm-1" | "evm-anvil-1" },
  count?: number,
  start?: () => Worker,
): Promise<Followed> {
  const node = await startReplayRpc({ ...options, recording: recordingFolder(options.recording) });
  closing.push(() => node.close());
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  closing.push(() => store.close());
  const logged: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) });
  const threads = count === undefined ? undefined : new CountedThreads(log, count, start);
  const stop = new AbortController();
  // a replayed chain is final, so blocks up to its head are read elsewhere
  const entry = { ...entryOf([node.url]), maxReorgDepth: 0 };
  const chain = new FollowedChain({ store, entry, limits: DEFAULT_LIMITS, log, threads, alone: (register) => register() });
  await chain.start(stop.signal);
  const isDone = async () => expect((await store.get(evmChainStates, { chain: 0 }))?.height).toBe(BigInt(node.head));
  await eventuallyHolds(isDone);
  stop.abort();
  await chain.ended();
  await threads?.close();
  const rows = new Map<string, unknown[]>();
  for (const table of indexTables) {
    if (SAID_OF_NODES.has(table.id)) continue;
    const found: unknown[] = [];
    for await (const row of scanAll(store, table)) found.push(row);
    rows.set(table.name, found);
  }
  return { rows, logged, encoded: threads?.encoded ?? 0, rowless: threads?.rowless ?? 0, refused: threads?.refused ?? 0 };
}

test.each(drawn("chains that are read on threads", ["evm-1", "evm-anvil-1"] as const, 1))(
  "the rows of %s are the same on no, one and two threads",
  async (recording) => {
    const alone = await follow({ recording });
    expect(alone.rows.get("evm_transactions")).not.toEqual([]);
    for (const threads of drawn("numbers of threads", [0, 1, 2], 1)) {
      const followed = await follow({ recording }, threads);
      expect(followed.encoded).toBeGreaterThan(0);
      if (recording === "evm-1") expect(followed.rowless).toBeGreaterThan(0);
      for (const [name, rows] of followed.rows) expect(rows, name).toEqual(alone.rows.get(name));
    }
  },
);

test("answers in another form, and blocks whose token classes are not known yet, have the same rows", async () => {
  const features = { callTracer: false, traceBlock: true };
  const alone = await follow({ recording: "evm-1", features });
  const followed = await follow({ recording: "evm-1", features }, 1);
  expect(followed.encoded).toBeGreaterThan(0);
  expect(followed.rowless).toBeGreaterThan(0);
  expect(followed.rows).toEqual(alone.rows);
});

test("without traces the rows are the same", async () => {
  const features = { callTracer: false };
  const alone = await follow({ recording: "evm-1", features });
  const followed = await follow({ recording: "evm-1", features }, 1);
  expect(followed.encoded).toBeGreaterThan(0);
  expect(followed.rows).toEqual(alone.rows);
});

test("broken and wrong answers are refused as without threads", async () => {
  const faults = { seed: 7, wrongIds: 0.1, cutOff: 0.1, garbage: 0.1, serverError: 0.1 };
  const alone = await follow({ recording: "evm-1" });
  const followed = await follow({ recording: "evm-1", faults }, 1);
  for (const [name, rows] of followed.rows) expect(rows, name).toEqual(alone.rows.get(name));
});

test("threads that end are reported, and the chain is read all the same", async () => {
  const alone = await follow({ recording: "evm-1" });
  const start = () => new Worker("setTimeout(() => { throw new Error('out of memory'); }, 1)", { eval: true });
  const followed = await follow({ recording: "evm-1" }, 1, start);
  expect(followed.encoded).toBe(0);
  expect(followed.refused).toBeGreaterThan(0);
  expect(followed.logged).toContain("A thread that reads answers of nodes has ended; another one is started");
  expect(followed.rows).toEqual(alone.rows);
});

test("one processor stays for the commits", () => {
  expect(defaultThreads()).toBeGreaterThanOrEqual(1);
  expect(defaultThreads()).toBeLessThanOrEqual(8);
});
