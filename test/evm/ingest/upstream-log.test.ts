import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { evmUpstreams } from "../../../src/evm/index/tables.ts";
import { UpstreamLog } from "../../../src/evm/ingest/evm-ingester.ts";
import { HEARTBEAT_SECONDS } from "../../../src/store/live-rows.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { MemoryRows } from "../../conformance/memory-rows.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { SlowStore } from "./slow-store.ts";

const CHAIN = 4;
const store = new SlowStore(new MemoryRows());
store.turns = 0;
let upstream: UpstreamLog;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: 1_800_000_000_000 });
  store.commits.length = 0;
  upstream = await UpstreamLog.open(store, CHAIN, pino({ level: "silent" }));
});

afterEach(async () => {
  await upstream.close();
  vi.useRealTimers();
});

const head = (height: bigint) => ({ height, timestamp: 1_799_999_990n + height });
const row = () => store.get(evmUpstreams, { chain: CHAIN });
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

test("writes a new head within a second, several of one second once, but the very first at once", async () => {
  upstream.head(head(1n));
  await seconds(0);
  expect((await row())!.headHeight).toBe(1n);
  store.commits.length = 0;
  upstream.head(head(2n));
  expect(store.commits).toHaveLength(0);
  await seconds(1);
  expect(await row()).toEqual({ headHeight: 2n, headTimestamp: 1_799_999_992n, seenAt: 1_800_000_000n, problem: "" });
  expect(store.commits).toHaveLength(1);
});

test("writes a sign of life every ten seconds where nothing is new", async () => {
  upstream.head(head(2n));
  for (let second = 0; second < 2 * HEARTBEAT_SECONDS + 2; second++) {
    await seconds(1);
    upstream.head(head(2n));
  }
  expect((await row())!.seenAt).toBeGreaterThan(1_800_000_000n + BigInt(HEARTBEAT_SECONDS));
  expect(store.commits.length).toBeLessThanOrEqual(3);
});

test("goes on with signs of life after the clock was set back", async () => {
  upstream.head(head(2n));
  await seconds(1);
  vi.setSystemTime(1_799_990_000_000);
  upstream.head(head(2n));
  await seconds(1);
  expect((await row())!.seenAt).toBe(1_799_990_000n);
});

test("keeps a problem until blocks are indexed, or nothing is left to index", async () => {
  upstream.committed(5n, head(5n));
  upstream.tell("block 6 is malformed");
  upstream.head(head(7n));
  expect(upstream.problem).toBe("block 6 is malformed");
  upstream.committed(6n, head(7n));
  expect(upstream.problem).toBe("");
  upstream.tell("no node answers");
  await seconds(1);
  expect((await row())!.problem).toBe("no node answers");
  upstream.head(head(6n));
  expect(upstream.problem).toBe("");
});

test("writes what is not written yet when it is closed, and tries again what could not be written", async () => {
  store.failures.push(new Error("full"));
  upstream.head(head(8n));
  await seconds(1);
  expect(store.commits).toHaveLength(0);
  await upstream.close();
  expect((await row())!.headHeight).toBe(8n);
});

test("what is wrong is told as it was written, in whatever letters", async () => {
  const rows = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });
  try {
    const seen = { headHeight: 1n, headTimestamp: 2n, seenAt: 3n };
    for (const problem of ["der Knoten schweigt: „Zeitüberschreitung“", "节点没有回答", "plain", "🧊".repeat(20_000)]) {
      await rows.commit([{ table: evmUpstreams, key: { chain: 1 }, value: { ...seen, problem } }]);
      const told = (await rows.get(evmUpstreams, { chain: 1 }))!;
      expect(told.problem.slice(0, 1000)).toBe(problem.slice(0, 1000));
    }
  } finally {
    await rows.close();
  }
});
