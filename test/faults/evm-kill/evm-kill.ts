/**
 * Kills `firn follow` at random moments (while it catches up, at the tip, while branches are replaced) and continues it: in the end its
 * index must equal, row by row, that of a chain followed without interruption.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { recordingFolder } from "../../conformance/recordings.ts";
import { delay, eventually } from "../../patience.ts";
import { randomOf } from "../../random.ts";
import { listeningUrl } from "../../serve/listening-url.ts";
import { firstDifference } from "../store-rows.ts";
import { indexRows } from "./index-rows.ts";
import { type SteadyNode, startSteadyNode } from "./steady-node.ts";

/** FIRN_PROGRAM names another one to test. */
const program = process.env.FIRN_PROGRAM ?? fileURLToPath(new URL("../../../bin/firn", import.meta.url));

export interface EvmKillOptions {
  readonly count: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  /** kills of one index between two comparisons; by default it is compared once, after the last one */
  readonly killsPerComparison?: number;
}

/** What the chain did when a process was killed. */
const OCCASIONS = ["catching up", "at the tip", "reorganising"] as const;
type Occasion = (typeof OCCASIONS)[number];

export interface EvmKillResult {
  readonly kills: Readonly<Record<Occasion, number>>;
  /** indexes that were compared, each after several kills */
  readonly comparisons: number;
  /** kills that left an index that was neither empty nor where the chain was */
  readonly amidst: number;
  /** kills that left an index on a branch that was replaced */
  readonly onReplacedBranch: number;
}

const MAX_REORG_DEPTH = 64;
/** kills of one index, in this order of occasions */
const KILLS_PER_RUN = 6;
const FIRST_HEAD = 80;
const MOST_CHANGES = 6;
const CHANGE_EVERY_MS = 200;
/** between what was waited for and the kill: a commit takes some of them */
const LAST_MOMENTS_MS = 150;
/** a process that has nothing left to read is killed then */
const MOST_IDLE_LOOKS = 400;

export async function killFollowers({ count, seed, log, killsPerComparison = KILLS_PER_RUN }: EvmKillOptions): Promise<EvmKillResult> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-evm-kill-"));
  const kills: Record<Occasion, number> = { "catching up": 0, "at the tip": 0, reorganising: 0 };
  const sum = { comparisons: 0, amidst: 0, onReplacedBranch: 0 };
  try {
    for (let done = 0, runs = 0; done < count; runs++) {
      const run = await Run.start(join(scratch, `${runs}`), seed + runs);
      try {
        const wanted = Math.min(KILLS_PER_RUN, count - done);
        for (let kill = 0; kill < wanted; kill++, done++) {
          const occasion = OCCASIONS[Math.floor((kill * OCCASIONS.length) / wanted)]!;
          const found = await run.kill(occasion);
          kills[occasion]++;
          if (found.isAmidst) sum.amidst++;
          if (found.isOnReplacedBranch) sum.onReplacedBranch++;
          log(
            `follow: kill ${done + 1}, ${occasion}: left at ${found.height ?? "nothing"} of ${run.head}${found.isOnReplacedBranch ? ", on a replaced branch" : ""}`,
          );
          if ((kill + 1) % killsPerComparison !== 0 && kill + 1 < wanted) continue;
          const rows = await run.compare();
          sum.comparisons++;
          log(`follow: seed ${seed + runs}: ${rows} rows as of an index that was never interrupted, at ${run.head}`);
        }
      } finally {
        await run.end();
      }
    }
    return { kills, ...sum };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One data directory and the chain that it follows. */
class Run {
  readonly #directory: string;
  readonly #seed: number;
  readonly #node: SteadyNode;
  readonly #random: () => number;
  #branches = 0;

  private constructor(directory: string, seed: number, node: SteadyNode) {
    this.#directory = directory;
    this.#seed = seed;
    this.#node = node;
    this.#random = randomOf(seed);
  }

  static async start(directory: string, seed: number): Promise<Run> {
    const node = await startSteadyNode({ recording: recordingFolder("evm-1"), head: FIRST_HEAD, faults: faultsOf(seed) });
    return new Run(directory, seed, node);
  }

  get head(): number {
    return this.#node.chain.head;
  }

  async kill(occasion: Occasion) {
    const child = startFollower(this.#directory, this.#node.url);
    if (occasion === "catching up") await this.#untilTraced(child, Math.floor(this.#random() * FIRST_HEAD));
    else {
      await this.#untilAtTip(child);
      for (let left = Math.floor(this.#random() * MOST_CHANGES); left >= 0; left--) {
        this.#change(occasion);
        await delay(CHANGE_EVERY_MS * this.#random());
      }
    }
    await delay(this.#random() * LAST_MOMENTS_MS);
    child.kill("SIGKILL");
    await once(child, "exit");
    const { tip } = await indexRows(this.#directory).catch(() => ({ tip: undefined }));
    const served = tip && this.#node.chain.blocks[Number(tip.height)]?.block.hash;
    const isOnReplacedBranch = tip !== undefined && tip.hash !== served;
    return {
      height: tip?.height,
      isOnReplacedBranch,
      isAmidst: tip !== undefined && (isOnReplacedBranch || Number(tip.height) < this.head),
    };
  }

  /** Throws at the first row that differs from those of a process that was let alone; returns the number of rows. */
  async compare(): Promise<number> {
    this.#node.chain.setFaults({});
    await this.#toTheEnd(this.#directory);
    const alone = `${this.#directory}-alone`;
    await this.#toTheEnd(alone);
    const [found, expected] = [await indexRows(this.#directory), await indexRows(alone)];
    const difference = firstDifference(found.rows, expected.rows, (key) => key);
    if (difference !== undefined) throw new Error(`seed ${this.#seed}: ${difference}`);
    this.#node.chain.setFaults(faultsOf(this.#seed));
    return expected.rows.size;
  }

  async end(): Promise<void> {
    await this.#node.close();
    for (const directory of [this.#directory, `${this.#directory}-alone`]) rmSync(directory, { recursive: true, force: true });
  }

  #change(occasion: Occasion): void {
    if (occasion === "at the tip" && this.#branches === 0) this.#node.chain.setHead(this.head + 1);
    if (occasion !== "reorganising") return;
    const depth = 1 + Math.floor(this.#random() * 12);
    this.#branches++;
    this.#node.chain.reorganise(depth, { length: depth + Math.floor(this.#random() * 2), seed: this.#seed * 1000 + this.#branches });
  }

  /** Resolves when the child has read so many blocks, or all there are. */
  async #untilTraced(child: ChildProcess, blocks: number): Promise<void> {
    const traced = () => this.#node.chain.counts.get("debug_traceBlockByNumber") ?? 0;
    const asked = () => this.#node.chain.counts.get("eth_chainId") ?? 0;
    const [askedBefore, tracedBefore] = [asked(), traced()];
    let idle = 0;
    await eventually(() => {
      requireAlive(child);
      if (asked() !== askedBefore) idle++;
      return asked() !== askedBefore && (traced() - tracedBefore >= blocks || idle > MOST_IDLE_LOOKS);
    });
  }

  async #untilAtTip(child: ChildProcess): Promise<string> {
    const url = await listeningUrl(child);
    await eventually(async () => {
      requireAlive(child);
      return (await newestHash(url)) === this.#node.chain.blocks.at(-1)!.block.hash;
    });
    return url;
  }

  async #toTheEnd(directory: string): Promise<void> {
    const child = startFollower(directory, this.#node.url);
    try {
      await this.#untilAtTip(child);
    } finally {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    if (child.exitCode !== 0) throw new Error(`firn follow was stopped and ended with exit code ${child.exitCode ?? child.signalCode}`);
  }
}

function faultsOf(seed: number) {
  return { seed, late: 0.1, inPieces: 0.1 };
}

function requireAlive({ exitCode }: ChildProcess): void {
  if (exitCode !== null) throw new Error(`firn follow ended with exit code ${exitCode}`);
}

function startFollower(directory: string, url: string): ChildProcess {
  const chains = JSON.stringify([{ rpc: url, maxReorgDepth: MAX_REORG_DEPTH }]);
  const args = [program, "follow", "--chains", chains, "--data-dir", directory, "--http-port", "0", "--log-level", "error"];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

async function newestHash(url: string): Promise<string | undefined> {
  const response = await fetch(`${url}/v1/chains/43112/blocks?pageSize=1`);
  const { blocks } = (await response.json()) as { blocks?: readonly { blockHash: string }[] };
  return blocks?.[0]?.blockHash;
}
