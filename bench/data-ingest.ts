/**
 * Measures the cost of the Data API's index: imports a recording with and without it, with the built Firn, each in a process of its own. Then
 * it shows which tables the rows with it belong to.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RuleLevel } from "../src/base/errors/rule-level.ts";
import type { Committed } from "../src/ingest/ingester.ts";
import type { BulkStore } from "../src/store/open.ts";
import { isInDatabase } from "../src/store/store.ts";
import { cpuSecondsWithChildren, mainThreadSeconds } from "./evm/process-cpu.ts";
import { countCommitted, printRowsByTable, rowsByTable, type TableRows } from "./rows-by-table.ts";

export interface Measured {
  readonly seconds: number;
  readonly userSeconds: number;
  /** CPU time of the database's processes on this machine, if they are known */
  readonly databaseSeconds?: number;
  /** CPU time of the main thread */
  readonly mainSeconds: number;
  /** of `seconds`, after the last commit: until the store is one file */
  readonly finishSeconds: number;
  readonly peakMb: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly rows: number;
  readonly bytes: number;
  readonly tables: readonly TableRows[];
  readonly ms: Record<keyof Committed["ms"], number>;
}

/** Loads built modules, because users run those, without a TypeScript loader. */
async function built<M>(path: string): Promise<M> {
  return import(new URL(`../dist/${path}.js`, import.meta.url).href);
}

export interface BenchDatabase {
  readonly url: string;
  /** of the server's first process, if it is on this machine */
  readonly processId?: number | undefined;
}

interface Options {
  readonly hasIndex: boolean;
  readonly level?: RuleLevel;
  /** as `--until` */
  readonly until?: string | undefined;
  /** as `--read-threads`; by default none */
  readonly threads?: number;
  /** a store in PostgreSQL instead of one in the folder */
  readonly postgres?: BenchDatabase | undefined;
}

/** Imports into `directory`, which is not removed, or into PostgreSQL. */
export async function measureIngest(
  recording: string,
  directory: string,
  { hasIndex, level = "replay", until, threads = 0, postgres }: Options,
): Promise<Measured> {
  const { openArchive } = await built<typeof import("../src/sources/archives/archive.ts")>("sources/archives/archive");
  const { networkInstance } = await built<typeof import("../src/ingest/network-instance.ts")>("ingest/network-instance");
  const { openCatchUpStore } = await built<typeof import("../src/store/open.ts")>("store/open");
  const { openChains, startFromGenesis } = await built<typeof import("../src/ingest/chains.ts")>("ingest/chains");
  const { Ingester } = await built<typeof import("../src/ingest/ingester.ts")>("ingest/ingester");
  const { SignaturesAhead } = await built<typeof import("../src/base/signatures/signatures-ahead.ts")>("base/signatures/signatures-ahead");
  const { readConfig } = await built<typeof import("../src/cli/config.ts")>("cli/config");
  const config = readConfig({ flags: { ...(until && { until }) }, environment: {}, file: undefined });
  const source = await openArchive({ path: recording, instance: networkInstance, until: config.until });
  const { tablesById } = await built<typeof import("../src/serve/all-tables.ts")>("serve/all-tables");
  const place = postgres && { address: { url: postgres.url }, tables: [...tablesById.values()] };
  const store: BulkStore = await openCatchUpStore({ directory, network: source.network, postgres: place }, {});
  const written = countCommitted(store);
  const sum = { blocks: 0, transactions: 0, rows: 0, ms: { decode: 0, fetch: 0, ahead: 0, execute: 0, index: 0, commit: 0 } };
  const signatures = new SignaturesAhead(threads);
  const open = async () => {
    const chains = await openChains(store, { network: source.network, level, signatures, ...(!hasIndex && { projections: [] }) });
    if (!chains.hasState) await startFromGenesis(store, chains, source);
    return chains;
  };
  const onCommit = ({ blocks, transactions, rows, ms }: Committed) => {
    sum.blocks += blocks;
    sum.transactions += transactions;
    sum.rows += rows;
    for (const phase of Object.keys(ms) as (keyof typeof ms)[]) sum.ms[phase] += ms[phase];
  };
  const databaseSeconds = () => (postgres?.processId === undefined ? undefined : cpuSecondsWithChildren(postgres.processId));
  const startedAt = performance.now();
  const mainBefore = mainThreadSeconds();
  const databaseBefore = databaseSeconds();
  await new Ingester({ store, open, onCommit }).run(source);
  await signatures.close();
  const ingestedAt = performance.now();
  await store.finish();
  const [seconds, finishSeconds] = [startedAt, ingestedAt].map((since) => (performance.now() - since) / 1000) as [number, number];
  const mainSeconds = mainThreadSeconds() - mainBefore;
  const ofDatabase = databaseBefore !== undefined && { databaseSeconds: databaseSeconds()! - databaseBefore };
  const { userCPUTime, maxRSS } = process.resourceUsage();
  const used = { seconds, finishSeconds, userSeconds: userCPUTime / 1e6, mainSeconds, ...ofDatabase, peakMb: maxRSS / 1024 };
  const inDatabase = isInDatabase(store) && { bytes: await store.sizeBytes(), tables: [] };
  await store.close();
  if (inDatabase) return { ...sum, ...used, ...inDatabase };
  const inspect = await built<typeof import("../src/store/inspect.ts")>("store/inspect");
  const tables = await rowsByTable(directory, written, { ...inspect, tablesById });
  return { ...sum, ...used, bytes: bytesOf(join(directory, "store")), tables };
}

function bytesOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

export function compareIngest(recording: string, runs: number): void {
  execFileSync(fileURLToPath(new URL("../bin/firn", import.meta.url)), ["--version"]);
  console.log(
    "| index | s | tx/s | rows/tx | bytes/tx | decode | fetch | proofs waited for | execute | index | commit | end | user CPU s | CPU s of the main thread | peak MB |",
  );
  console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  const rates: number[] = [];
  let show = () => {};
  for (const hasIndex of [false, true]) {
    const measured = Array.from({ length: runs }, () => measureApart(recording, hasIndex)).sort((a, b) => a.seconds - b.seconds);
    const { seconds, finishSeconds, transactions, rows, bytes, tables, ms, userSeconds, mainSeconds, peakMb } = measured[runs >> 1]!;
    rates.push(transactions / seconds);
    const phases = [ms.decode, ms.fetch, ms.ahead, ms.execute, ms.index, ms.commit].map((value) => (value / 1000).toFixed(1));
    const cells = [hasIndex ? "with" : "without", seconds.toFixed(1), Math.round(transactions / seconds), (rows / transactions).toFixed(1)];
    const times = [...phases, ...[finishSeconds, userSeconds, mainSeconds].map((value) => value.toFixed(1))];
    console.log(`| ${[...cells, Math.round(bytes / transactions), ...times, Math.round(peakMb)].join(" | ")} |`);
    show = () => printRowsByTable(tables, transactions, bytes);
  }
  console.log(`\nwith the index: ${(rates[1]! / rates[0]!).toFixed(2)} of the transactions per second without`);
  show();
}

function measureApart(recording: string, hasIndex: boolean): Measured {
  const script = fileURLToPath(import.meta.url);
  const output = execFileSync(process.execPath, ["--import", "tsx", script, recording, `${hasIndex}`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1e8,
  });
  return JSON.parse(output.trim().split("\n").at(-1)!);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [recording, hasIndex] = process.argv.slice(2);
  const directory = mkdtempSync(join(tmpdir(), "firn-bench-data-"));
  try {
    console.log(JSON.stringify(await measureIngest(recording!, directory, { hasIndex: hasIndex === "true" })));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
