/**
 * `tsx bench/evm/firn-case.ts '{"url":…,"height":…,"profiled":false}'`: follows a chain into an empty store until a height is committed, in
 * a process of its own, to measure CPU time and memory. It does what the built `firn ingest` does for a chain, including the token service,
 * and nothing else: from its sources, each thread would also load and run a TypeScript loader.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { EvmCommitted } from "../../src/evm/ingest/evm-ingester.ts";
import { built } from "../growth/built.ts";
import { countCommitted, rowsByTable, type TableRows } from "../rows-by-table.ts";
import { mainThreadSeconds } from "./process-cpu.ts";
import { profiled } from "./profile.ts";

const { entryOf } = await built<typeof import("../../src/evm/chain-entry.ts")>("evm/chain-entry");
const { AnswerThreads } = await built<typeof import("../../src/evm/ingest/answer-threads.ts")>("evm/ingest/answer-threads");
const { FollowedChain } = await built<typeof import("../../src/evm/ingest/followed-chain.ts")>("evm/ingest/followed-chain");
const { compileLess } = await built<typeof import("../../src/ingest/compile-less.ts")>("ingest/compile-less");
const { DEFAULT_LIMITS } = await built<typeof import("../../src/base/limits.ts")>("base/limits");
const { openStore } = await built<typeof import("../../src/store/open.ts")>("store/open");
const inspect = await built<typeof import("../../src/store/inspect.ts")>("store/inspect");
const { tablesById } = await built<typeof import("../../src/serve/all-tables.ts")>("serve/all-tables");

export interface FirnCase {
  readonly url: string;
  readonly height: number;
  readonly profiled: boolean;
  /** threads that read answers; by default as many as `firn follow` has */
  readonly threads?: number | undefined;
}

export interface FirnMeasured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** of the main thread alone */
  readonly mainSeconds: number;
  readonly peakMb: number;
  readonly transactions: number;
  readonly rows: number;
  readonly commits: number;
  readonly bytes: number;
  readonly tables: readonly TableRows[];
  /** share of the time by activity; {} unless profiled */
  readonly share: Readonly<Record<string, number>>;
}

async function follow({ url, height, threads: count }: FirnCase, directory: string): Promise<Omit<FirnMeasured, "share">> {
  const store = await openStore({ directory, mode: "write" });
  const written = countCommitted(store, tablesById);
  const log = pino({ level: "error" });
  const threads = new AnswerThreads(log, count);
  const stop = new AbortController();
  const sum = { transactions: 0, rows: 0, commits: 0 };
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  let seconds = 0;
  let cpuSeconds = 0;
  let mainSeconds = 0;
  const mainBefore = mainThreadSeconds();
  const onCommit = (_: unknown, committed: EvmCommitted) => {
    sum.transactions += committed.transactions;
    sum.rows += committed.rows;
    sum.commits++;
    if (committed.height < BigInt(height)) return;
    seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuSeconds = (user + system) / 1e6;
    mainSeconds = mainThreadSeconds() - mainBefore;
    stop.abort();
  };
  const chain = new FollowedChain({
    store,
    entry: entryOf([url]),
    limits: DEFAULT_LIMITS,
    log,
    threads,
    alone: (register) => register(),
    onCommit,
  });
  await chain.start(stop.signal);
  await chain.ended();
  await threads.close();
  await store.close();
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const tables = await rowsByTable(directory, written, { ...inspect, tablesById });
  return { ...sum, seconds, cpuSeconds, mainSeconds, peakMb, bytes: bytesOf(join(directory, "store")), tables };
}

function bytesOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

compileLess();
const chosen: FirnCase = JSON.parse(process.argv[2]!);
const directory = mkdtempSync(join(tmpdir(), "firn-bench-evm-"));
try {
  const run = () => follow(chosen, directory);
  const { result, share } = chosen.profiled ? await profiled(run) : { result: await run(), share: {} };
  console.log(JSON.stringify({ ...result, share } satisfies FirnMeasured));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
