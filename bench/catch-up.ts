/**
 * `npm run bench:catch-up -- [--rounds 3] [--level full] [--blocks 4000] [--only TEXT]`: measures how fast the built Firn catches up with a node,
 * by each way of reading, and compares it with `firn import` of an archive of the same blocks: of P and X (`scale-1`), and of generated ones of
 * C. Each measurement has an empty store and a process of its own; the cases alternate. The node is another process, which serves a recording
 * from memory.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { RuleLevel } from "../src/base/errors/rule-level.ts";
import type { FollowProgress } from "../src/cli/follow/follow-progress.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { lastHeights } from "../test/sources/upstream/replay-node.ts";
import { readReplayedNetwork } from "../test/sources/upstream/replayed-network.ts";
import { writeCChainBlocks } from "./c-chain-blocks.ts";
import { cpuMs, peakMemory } from "./resident.ts";

/** of a process: one that cannot catch up goes on for ever */
const LONGEST_MS = 600_000;
/** shortly after the genesis of `scale-1`, Unix seconds */
const AFTER_START = 1_795_247_480;
const READINGS = ["index", "height"] as const;

interface Case {
  readonly name: string;
  /** folder to import; undefined: a node is followed */
  readonly archive?: string;
  readonly networkFile: string;
  readonly upstream?: string;
  readonly level: RuleLevel;
  /** heights at which it has caught up, by chain */
  readonly until: Readonly<Record<string, string>>;
}

/** What the process of a case tells. */
interface Told {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly commits: number;
  readonly transactions: number;
}

interface Measured extends Told {
  readonly nodeCpuSeconds: number;
  readonly residentMb: number;
  readonly anonymousMb: number;
}

/** Loads built modules, because users run those, without a TypeScript loader. */
async function built<M>(path: string): Promise<M> {
  return import(new URL(`../dist/${path}.js`, import.meta.url).href);
}

async function measure(chosen: Case): Promise<Told> {
  const { readConfig } = await built<typeof import("../src/cli/config.ts")>("cli/config");
  // loading modules takes as long as a thousand blocks
  for (const path of ["cli/store/import-recording", "cli/follow/follow-network", "cli/log"]) await built(path);
  const dataDir = mkdtempSync(join(tmpdir(), "firn-bench-catch-up-"));
  try {
    const config = readConfig({ flags: { dataDir, level: chosen.level, logLevel: "warn" }, environment: {}, file: undefined });
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const counts = chosen.archive === undefined ? await follow(chosen, config) : await importArchive(chosen.archive, config);
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(before);
    return { seconds, cpuSeconds: (user + system) / 1e6, ...counts };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Config = ReturnType<typeof import("../src/cli/config.ts").readConfig>;
type Counts = Pick<Told, "commits" | "transactions">;

async function importArchive(folder: string, config: Config): Promise<Counts> {
  const { importRecording } = await built<typeof import("../src/cli/store/import-recording.ts")>("cli/store/import-recording");
  const counts = { commits: 0, transactions: 0 };
  await importRecording(folder, config, new AbortController().signal, {
    onCommit: ({ transactions }) => {
      counts.commits++;
      counts.transactions += transactions;
    },
  });
  return counts;
}

/** As `firn ingest` does, until all blocks are committed. */
async function follow({ networkFile, upstream, until }: Case, config: Config): Promise<Counts> {
  const { openPrimary } = await built<typeof import("../src/cli/follow/follow-network.ts")>("cli/follow/follow-network");
  const { openLog } = await built<typeof import("../src/cli/log.ts")>("cli/log");
  const stopped = new AbortController();
  const counts = { commits: 0, transactions: 0 };
  const missing = new Map(Object.entries(until));
  const advanced: FollowProgress["advanced"] = (_, name, { height }) => {
    if (name === "P") counts.commits++;
    if (missing.get(name) === `${height}`) missing.delete(name);
    if (missing.size === 0) stopped.abort();
  };
  const parts = { log: openLog(config), progress: { advanced } as FollowProgress, signal: stopped.signal, catchUp: {} };
  const { store, source, run } = await openPrimary({ ...config, network: networkFile, upstream: [upstream!] }, parts);
  try {
    await run(stopped.signal);
  } finally {
    await source.close();
    await store.close();
  }
  return counts;
}

function firn(...args: string[]): void {
  const program = fileURLToPath(new URL("../bin/firn", import.meta.url));
  execFileSync(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] });
}

function start(script: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, ["--import", "tsx", path, ...args], { stdio: ["ignore", "pipe", "inherit"], timeout: LONGEST_MS });
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error(`${child.spawnargs.join(" ")} printed nothing`);
}

/** Runs the case in a process of its own, to measure its CPU time and memory. */
async function measureApart(chosen: Case, node: ChildProcess | undefined): Promise<Measured> {
  const nodeCpu = async () => (node === undefined ? 0 : await cpuMs(node.pid!));
  const before = await nodeCpu();
  const child = start("catch-up.ts", "--case", JSON.stringify(chosen));
  const [told, memory] = await Promise.all([firstLine(child), peakMemory(child)]);
  return { ...(JSON.parse(told) as Told), ...memory, nodeCpuSeconds: ((await nodeCpu()) - before) / 1000 };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

/** The network of `scale-1` with blocks of C alone. */
async function writeCChain(folder: string, blocks: number): Promise<string> {
  mkdirSync(join(folder, "blocks"), { recursive: true });
  for (const name of ["network.json", "genesis.json", "genesis-P.hex", "upgrades.json"])
    copyFileSync(join(recordingFolder("scale-1"), name), join(folder, name));
  for (const chain of ["P", "X"]) writeFileSync(join(folder, `blocks/${chain}.jsonl`), "");
  await writeCChainBlocks(join(folder, "blocks/C.jsonl"), { blocks, startTime: AFTER_START });
  return folder;
}

interface Entry {
  readonly chosen: Case;
  readonly node: ChildProcess | undefined;
  readonly measured: Measured[];
}

/** Measures one recording, with its archive as the baseline. */
async function compare(chains: string, recording: string, scratch: string): Promise<void> {
  const [archive, dataDir] = [join(scratch, "archive"), join(scratch, "data")];
  firn("import", recording, "--data-dir", dataDir, "--level", "replay", "--log-level", "error");
  firn("archive", "export", archive, "--data-dir", dataDir);
  const heights = Object.entries(lastHeights(readReplayedNetwork(recording)));
  const until = Object.fromEntries(heights.flatMap(([name, height]) => (height === 0n ? [] : [[name, `${height}`]])));
  const common = { networkFile: join(recording, "network.json"), level: values.level as RuleLevel, until };
  const entries: Entry[] = [{ chosen: { ...common, name: "import", archive }, node: undefined, measured: [] }];
  try {
    for (const name of READINGS) {
      const node = start("recorded-node.ts", recording, name);
      entries.push({ chosen: { ...common, name, upstream: await firstLine(node) }, node, measured: [] });
    }
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const { chosen, node, measured } of entries) measured.push(await measureApart(chosen, node));
    }
    const blocks = Object.values(until).reduce((sum, height) => sum + Number(height), 0);
    for (const entry of entries) console.log(`| ${[chains, ...cells(entry, entries[0]!.measured, blocks)].join(" | ")} |`);
  } finally {
    for (const { node } of entries) {
      if (node?.kill("SIGTERM")) await once(node, "exit");
    }
    rmSync(scratch, { recursive: true, force: true });
  }
}

function cells({ chosen, measured }: Entry, imports: readonly Measured[], blocks: number): (string | number)[] {
  const middle = (of: (one: Measured) => number) => median(measured.map(of));
  const ratios = (of: (one: Measured) => number) => measured.map((one, round) => of(imports[round]!) / of(one));
  const seconds = middle((one) => one.seconds);
  const byTime = ratios((one) => one.seconds);
  return [
    ...[chosen.name, seconds.toFixed(2), Math.round(blocks / seconds), Math.round(imports[0]!.transactions / seconds)],
    ...[middle((one) => one.commits), middle((one) => one.cpuSeconds).toFixed(1), middle((one) => one.nodeCpuSeconds).toFixed(1)],
    ...[middle((one) => one.residentMb), middle((one) => one.anonymousMb)],
    ...[median(byTime).toFixed(2), byTime.map((ratio) => ratio.toFixed(2)).join(" "), median(ratios((one) => one.cpuSeconds)).toFixed(2)],
  ];
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    level: { type: "string", default: "full" },
    blocks: { type: "string", default: "4000" },
    only: { type: "string", default: "" },
    case: { type: "string" },
  },
});
if (values.case !== undefined) {
  console.log(JSON.stringify(await measure(JSON.parse(values.case) as Case)));
} else {
  const scratch = mkdtempSync(join(tmpdir(), "firn-bench-catch-up-"));
  try {
    console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`);
    console.log(`level ${values.level}; load ${loadavg()[0]!.toFixed(1)}\n`);
    console.log(
      `| chains | case | s | blocks/s | tx/s | commits | CPU s | node's CPU s | peak MB | anonymous | × import | rounds | by CPU |`,
    );
    console.log(`|---|---|${"---:|".repeat(11)}`);
    const workloads: [string, () => string | Promise<string>][] = [
      ["P and X", () => recordingFolder("scale-1")],
      ["C", () => writeCChain(join(scratch, "c-chain"), Number(values.blocks))],
    ];
    for (const [chains, recording] of workloads.filter(([name]) => name.includes(values.only)))
      await compare(chains, await recording(), join(scratch, chains));
    console.log(`\nload at the end ${loadavg()[0]!.toFixed(1)}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
