/**
 * Kills the processes of a followed primary network at random moments: the follower (with its server in one process, or `firn ingest` with
 * `firn serve` beside it) and the node that it follows. In the end the store must have, row by row, what a follower has that was let alone.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../bench/free-port.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { delay, eventually } from "../../patience.ts";
import { randomOf } from "../../random.ts";
import { listeningUrl } from "../../serve/listening-url.ts";
import { comparable } from "../../sources/upstream/fault-run.ts";
import { lastHeights } from "../../sources/upstream/replay-node.ts";
import { readReplayedNetwork } from "../../sources/upstream/replayed-network.ts";
import { firstDifference, storeRows } from "../store-rows.ts";

const program = process.env.FIRN_PROGRAM ?? fileURLToPath(new URL("../../../bin/firn", import.meta.url));
const nodeProgram = fileURLToPath(new URL("./replay-node-main.ts", import.meta.url));

export interface NetworkKillOptions {
  readonly count: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  /** kills of one store before it is compared */
  readonly killsPerComparison?: number;
}

const VICTIMS = ["follower", "node", "ingest", "serve"] as const;
type Victim = (typeof VICTIMS)[number];

export interface NetworkKillResult {
  readonly kills: Readonly<Record<Victim, number>>;
  /** stores that were compared */
  readonly comparisons: number;
}

const KILLS_PER_COMPARISON = 8;
/** from when all processes run until one is killed */
const LONGEST_LIFE_MS = 1500;

/** Throws at the first row that differs, and if a process that was not killed ends. */
export async function killNetworkFollowers({ count, seed, log, killsPerComparison = KILLS_PER_COMPARISON }: NetworkKillOptions) {
  const scratch = mkdtempSync(join(tmpdir(), "firn-network-kill-"));
  const kills: Record<Victim, number> = { follower: 0, node: 0, ingest: 0, serve: 0 };
  const random = randomOf(seed);
  let comparisons = 0;
  try {
    const expected = await new Run(join(scratch, "alone"), await freePort()).rowsAtEnd();
    for (let done = 0; done < count; comparisons++) {
      const directory = join(scratch, `run-${comparisons}`);
      const run = new Run(directory, await freePort());
      try {
        for (let left = Math.min(killsPerComparison, count - done); left > 0; left--, done++) {
          // each kind of process in turn, so that a few kills meet all of them
          const victim = VICTIMS[done % VICTIMS.length]!;
          await run.kill(victim, random() * LONGEST_LIFE_MS);
          kills[victim]++;
          log(`network: kill ${done + 1}, ${victim}`);
        }
        const difference = firstDifference(await run.rowsAtEnd(), expected);
        if (difference !== undefined) throw new Error(`seed ${seed}, store ${comparisons}: ${difference}`);
        log(`network: ${expected.size} rows as of a follower that was let alone`);
      } finally {
        await run.end();
        rmSync(directory, { recursive: true, force: true });
      }
    }
    return { kills, comparisons } satisfies NetworkKillResult;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One store, the node on its port, and what follows it. */
class Run {
  readonly #directory: string;
  readonly #port: number;
  readonly #running = new Set<ChildProcess>();
  // biome-ignore lint/plugin: a chain grows with time; nothing depends on how far it is
  readonly #startedAt = Date.now();
  #node: ChildProcess | undefined;

  constructor(directory: string, port: number) {
    this.#directory = directory;
    this.#port = port;
  }

  /** Lets a follower and its node run, kills one process, and lets the others go on for a moment before they are stopped. */
  async kill(victim: Victim, afterMs: number): Promise<void> {
    this.#node ??= await this.#startNode();
    const followers: Partial<Record<Victim, ChildProcess>> =
      victim === "ingest" || victim === "serve" ? await this.#startSplit() : { follower: this.#startFollower() };
    await delay(afterMs);
    const child = { ...followers, node: this.#node }[victim]!;
    await this.#end(child, "SIGKILL");
    if (victim === "node") {
      this.#node = await this.#startNode();
      // one that is not up yet cannot be stopped in order
      await listeningUrl(followers.follower!);
    }
    for (const other of Object.values(followers)) {
      if (other === undefined || other === child) continue;
      requireAlive(other);
      // a follower whose node or server is gone ends like any other
      const exitCode = await this.#end(other, "SIGTERM");
      if (exitCode !== 0) throw new Error(`a process that was not killed ended with exit code ${exitCode}`);
    }
  }

  /** Follows to the last block. */
  async rowsAtEnd(): Promise<Map<string, string>> {
    this.#node ??= await this.#startNode();
    const follower = this.#startFollower();
    const url = await listeningUrl(follower);
    const last = lastHeights(network());
    const isThere = (text: string) => Object.entries(last).every(([chain, height]) => text.includes(`chain="${chain}"} ${height}\n`));
    await eventually(async () => {
      requireAlive(follower);
      const metrics = await (await fetch(`${url}/ext/metrics`)).text();
      const heights = metrics.split("\n").filter((line) => line.startsWith("firn_chain_height_blocks"));
      return isThere(`${heights.join("\n")}\n`);
    });
    if ((await this.#end(follower, "SIGTERM")) !== 0) throw new Error("a follower that was stopped ended with an error");
    await this.end();
    return comparable(await storeRows(this.#directory));
  }

  async end(): Promise<void> {
    this.#node = undefined;
    for (const child of this.#running) await this.#end(child, "SIGKILL");
  }

  async #startNode(): Promise<ChildProcess> {
    const child = this.#start(process.execPath, ["--import", "tsx", nodeProgram, `${this.#port}`, `${this.#startedAt}`]);
    await once(child.stdout!, "data");
    return child;
  }

  #startFollower(): ChildProcess {
    return this.#firn("follow", "--http-port", "0", ...this.#following());
  }

  async #startSplit() {
    const ingest = this.#firn("ingest", ...this.#following());
    await once(ingest.stdout!, "data");
    const serve = this.#firn("serve", "--http-port", "0", "--workers", "1", "--data-dir", this.#directory);
    await listeningUrl(serve);
    return { ingest, serve };
  }

  #following(): string[] {
    const upstream = `http://127.0.0.1:${this.#port}`;
    return ["--network", join(recording(), "network.json"), "--upstream", upstream, "--data-dir", this.#directory, "--batch-blocks", "5"];
  }

  #firn(...args: string[]): ChildProcess {
    return this.#start(process.execPath, [program, ...args, "--log-level", "silent"]);
  }

  #start(command: string, args: readonly string[]): ChildProcess {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#running.add(child);
    return child;
  }

  async #end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    this.#running.delete(child);
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  }
}

const recording = () => recordingFolder("latest-1");
let read: ReturnType<typeof readReplayedNetwork> | undefined;

function network() {
  read ??= readReplayedNetwork(recording());
  return read;
}

function requireAlive({ exitCode }: ChildProcess): void {
  if (exitCode !== null) throw new Error(`a process that was not killed ended with exit code ${exitCode}`);
}
