/**
 * Checks Firn against the checkpoints of a recording as an operator would use it: import up to the checkpoint's heights, serve with the
 * clock at its time, and send every recorded request. The recorder's own comparison decides whether answers are equal.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { RuleLevel } from "../../src/base/errors/rule-level.ts";
import { openChains, startFromGenesis } from "../../src/ingest/chains.ts";
import { Ingester } from "../../src/ingest/ingester.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { Serving } from "../../src/serve/serve.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import { type Entry, pagesCutInsideBlock } from "./cut-pages.ts";
import { prepareStore } from "./prepared-store.ts";
import { databaseOf, openToRead, openToWrite, removeStore, serveAt } from "./stores.ts";

export { serveAt };

export interface CheckpointOptions {
  /** methods, services or paths, as the recorder's `check` takes them */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** those of a checkpoint's requests that are asked, by index; default: all */
  readonly pick?: (requests: readonly Entry[], checkpoint: Checkpoint) => ReadonlySet<number> | undefined;
  /** only checkpoints whose file name contains this */
  readonly name?: string;
  readonly level?: RuleLevel;
  /** brings the store to a checkpoint; default: imports the recording */
  readonly fill?: typeof importUntil;
  /** where the store is; default: in a folder that is removed afterwards */
  readonly directory?: string;
  /** differing requests to print per checkpoint */
  readonly maxShown?: number;
  readonly log: (line: string) => void;
}

export interface Totals {
  passed: number;
  failed: number;
}

export interface Checkpoint {
  readonly file: string;
  readonly label: string;
  readonly heights: Readonly<Record<string, number>>;
  /** Unix seconds */
  readonly recordedAt: bigint;
}

/** Each comparison is one recorded request. */
export async function runCheckpoints(folder: string, options: CheckpointOptions): Promise<Totals> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-checkpoints-"));
  const dataDirectory = options.directory ?? scratch;
  const totals: Totals = { passed: 0, failed: 0 };
  try {
    for (const checkpoint of checkpointsOf(folder)) {
      if (options.name !== undefined && !checkpoint.file.includes(options.name)) continue;
      await (options.fill ?? importUntil)(folder, dataDirectory, checkpoint.heights, options.level ?? "full");
      const { passed, failed } = await compare(dataDirectory, checkpoint, options);
      options.log(`${checkpoint.label}: ${passed} passed, ${failed} failed`);
      totals.passed += passed;
      totals.failed += failed;
    }
  } finally {
    await removeStore(scratch);
  }
  return totals;
}

const known = new Map<string, readonly Checkpoint[]>();

/** Those with requests, in the order of the chain. */
export function checkpointsOf(folder: string): readonly Checkpoint[] {
  const checkpoints = known.get(folder) ?? readCheckpoints(folder);
  known.set(folder, checkpoints);
  return checkpoints;
}

function readCheckpoints(folder: string): readonly Checkpoint[] {
  const directory = join(folder, "checkpoints");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const file = join(directory, name);
      const { label, heights, height, recordedAt, clock, requests } = readCheckpoint(file);
      // state dumps of recordings of the P-chain alone; some of them have requests too
      if (!Array.isArray(requests)) return [];
      const time = clock ?? Math.floor(Date.parse(recordedAt) / 1000);
      return [{ file, label, heights: heights ?? { P: height }, recordedAt: BigInt(time) }];
    });
}

export function readCheckpoint(file: string) {
  const raw = readFileSync(file);
  return JSON.parse((file.endsWith(".gz") ? gunzipSync(raw) : raw).toString("utf8"));
}

/** Goes on from where the data directory stands. Chains without recorded blocks have nothing to import. */
export async function importUntil(folder: string, directory: string, heights: Checkpoint["heights"], level: RuleLevel): Promise<void> {
  const goOn = () => importFrom(folder, directory, heights, level);
  const isPrepared = (await databaseOf(directory)) === undefined && !existsSync(join(directory, "store"));
  await (isPrepared ? prepareStore(directory, [folder, heights, level], goOn) : goOn());
}

async function importFrom(folder: string, directory: string, heights: Checkpoint["heights"], level: RuleLevel): Promise<void> {
  const recorded = Object.entries(heights).filter(([chain]) => hasBlocks(folder, chain));
  const until = new Map(recorded.map(([chain, height]) => [chain, BigInt(height)]));
  const source = await openArchive({ path: folder, instance: networkInstance, until });
  const { network, networkFile, otherChains, hasVertices } = source;
  const store = await openToWrite(directory, network);
  try {
    const open = () => openChains(store, { network, level, otherChains });
    const chains = await open();
    if (!chains.hasState) await startFromGenesis(store, chains, { networkFile, hasVertices });
    await new Ingester({ store, open }).run(source);
  } finally {
    await store.close();
  }
}

function hasBlocks(folder: string, chain: string): boolean {
  return ["", ".gz"].some((suffix) => existsSync(join(folder, "blocks", `${chain}.jsonl${suffix}`)));
}

/** The recorder took some seconds: what depends on the clock was asked in one of them. */
export const SECONDS_OF_RECORDING = 3n;

/** What differs is asked again a second later, with the other pages of its scan. */
async function compare(dataDirectory: string, checkpoint: Checkpoint, options: CheckpointOptions): Promise<Totals> {
  const entries: Entry[] = readCheckpoint(checkpoint.file).requests;
  let asked = options.pick?.(entries, checkpoint);
  let count: number | undefined;
  let differing = new Set<number>();
  let lines: string[] = [];
  for (let second = 0n; second <= SECONDS_OF_RECORDING; second++) {
    lines = [];
    const moment = { entries, asked, time: checkpoint.recordedAt + second };
    const { total, ...answered } = await compareAt(dataDirectory, checkpoint, moment, { ...options, log: (line) => lines.push(line) });
    count ??= total;
    differing = answered.differing;
    if (differing.size === 0) break;
    asked = withWholeScans(entries, differing);
  }
  for (const line of differing.size > 0 ? lines : []) options.log(line);
  return { passed: count! - differing.size, failed: differing.size };
}

async function compareAt(
  directory: string,
  { file }: Checkpoint,
  { entries, asked, time }: { entries: readonly Entry[]; asked: ReadonlySet<number> | undefined; time: bigint },
  options: CheckpointOptions,
): Promise<{ total: number; differing: Set<number> }> {
  const serving = await serveAt(directory, time);
  try {
    const differing = new Set<number>();
    const { passed, failed } = await replay(serving, file, options, { asked, onDifference: (index) => differing.add(index) });
    if (differing.size === 0) return { total: passed + failed, differing };
    const store = await openToRead(directory);
    try {
      for (const index of await pagesCutInsideBlock(entries, differing, serving.url, store)) differing.delete(index);
    } finally {
      await store.close();
    }
    return { total: passed + failed, differing };
  } finally {
    await serving.stop();
  }
}

/** Pages of one scan are one item: each starts where the one before ended. */
export function scanOf({ path, scan }: Entry): string | undefined {
  return scan === undefined ? undefined : `${path} ${scan}`;
}

export function withWholeScans(entries: readonly Entry[], chosen: ReadonlySet<number>): ReadonlySet<number> {
  const scans = new Set([...chosen].flatMap((index) => scanOf(entries[index]!) ?? []));
  return new Set(entries.flatMap((entry, index) => (chosen.has(index) || scans.has(scanOf(entry) ?? "") ? [index] : [])));
}

/** The parts of the recorder that are used here; it is plain JavaScript. */
export interface Recorder {
  readonly Node: new (uri: string) => { close(): void };
  check(
    node: object,
    files: readonly string[],
    options: {
      only?: readonly string[];
      skip?: readonly string[];
      pick?: (index: number) => boolean;
      onDifference?: (index: number) => void;
      max: number;
      log: (line: string) => void;
    },
  ): Promise<number>;
  checkWire(base: string, file: string, options: { max: number; log: (line: string) => void }): Promise<number>;
}

export async function replay(
  { url }: Pick<Serving, "url">,
  file: string,
  { only, skip, maxShown = 10, log }: CheckpointOptions,
  { asked, onDifference }: { asked?: ReadonlySet<number> | undefined; onDifference?: (index: number) => void } = {},
): Promise<Totals> {
  const recorder = await loadRecorder();
  const node = new recorder.Node(url);
  let totals: Totals | undefined;
  const read = (line: string) => {
    const matched = /^matched (\d+) of (\d+) /.exec(line);
    if (matched !== null) totals = { passed: Number(matched[1]), failed: Number(matched[2]) - Number(matched[1]) };
    else if (/^(✗ \/|✗ \S+ \d|…| {4})/.test(line)) log(line);
  };
  try {
    await recorder.check(node, [file], {
      max: maxShown,
      log: read,
      ...(only && { only }),
      ...(skip && { skip }),
      ...(asked && { pick: (index) => asked.has(index) }),
      ...(onDifference && { onDifference }),
    });
  } finally {
    node.close();
  }
  if (totals === undefined) throw new Error(`the recorder gave no totals for ${file}`);
  return totals;
}

export async function loadRecorder(): Promise<Recorder> {
  const part = (name: string) => import(new URL(`./recorder/src/${name}`, import.meta.url).href);
  return { ...(await part("node.js")), ...(await part("check.js")), ...(await part("wire.js")) };
}
