/**
 * Two ingesters and servers over one database, while something fails again and again: the writing process is killed or stopped, its
 * network is cut or stalls, PostgreSQL is restarted, killed, or dies for good and its standby takes its place. The other ingester has to
 * take over, and no row may be lost or doubled. Servers answer from one state, or say 503.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { formatChange } from "../../../src/store/format.ts";
import { openPostgresStore } from "../../../src/store/postgres/open-postgres.ts";
import { PostgresStore } from "../../../src/store/postgres/pg-store.ts";
import { delay, eventually, stopwatch } from "../../patience.ts";
import type { TcpProxy } from "../../postgres/tcp-proxy.ts";
import { randomOf } from "../../random.ts";
import { checkChain, tables } from "./chain.ts";
import { Database } from "./database.ts";
import { network } from "./served.ts";
import { Server } from "./server.ts";

const elapsed = stopwatch();

export const FAULTS = ["kill", "stop", "cut", "stall", "restart", "crash", "failover"] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultsOptions {
  readonly faults: readonly Fault[];
  readonly seed: number;
  readonly readers: number;
  /** how long a process stays stopped, and a network stalled, after the other one has taken over */
  readonly stoppedMs: number;
  readonly log?: (line: string) => void;
}

export interface FaultsResult {
  /** from the fault to the next commit, by fault, in milliseconds; those of the server begin when it answers again */
  readonly takeOvers: Record<string, number[]>;
  readonly blocks: number;
  /** of all servers: answers, those that said 503, and different states that answers were of */
  readonly answered: number;
  readonly refused: number;
  readonly states: number;
  readonly slowestMs: number;
}

const MOST_DELAY_MS = 300;

export async function runFaults({ faults, seed, readers, stoppedMs, log = () => {} }: FaultsOptions): Promise<FaultsResult> {
  const database = await Database.start();
  const random = randomOf(seed);
  const ingesters: Ingester[] = [];
  const servers: Server[] = [];
  try {
    await makeStore(database.url);
    for (const name of ["a", "b"]) ingesters.push(await Ingester.start(database, name));
    for (let count = 0; count < readers; count++) servers.push(await Server.start((await database.proxied()).url));
    const takeOvers: Record<string, number[]> = {};
    for (const [round, fault] of faults.entries()) {
      await eventually(() => ingesters.some(({ isWriting }) => isWriting) && ingesters.some(({ isWaiting }) => isWaiting));
      if (fault === "failover") await database.prepareFailover();
      await delay(random() * MOST_DELAY_MS);
      const holder = ingesters.find(({ isWriting }) => isWriting)!;
      const before = holder.fence;
      const since = await inflict(fault, holder, database);
      await eventually(() => ingesters.some(({ fence, isWriting }) => fence > before && isWriting));
      const ms = Math.max(...ingesters.map(({ firstWriteAt }) => firstWriteAt)) - since;
      takeOvers[fault] = [...(takeOvers[fault] ?? []), ms];
      log(`round ${round}: ${fault}, taken over in ${Math.round(ms)} ms`);
      await holder.recover(fault, stoppedMs);
      for (const { contradictions } of [...ingesters, ...servers])
        if (contradictions.length > 0) throw new Error(contradictions.join("\n"));
    }
    for (const each of ingesters) each.end();
    await requireSeen(servers, ingesters);
    for (const each of servers) await each.end();
    const blocks = await compare(database.url, ingesters);
    if (servers.some(({ newest }) => newest > blocks)) throw new Error(`contradiction: an answer was of a block after the last, ${blocks}`);
    const sum = (of: (server: Server) => number) => servers.map(of).reduce((a, b) => a + b, 0);
    return {
      takeOvers,
      blocks,
      answered: sum(({ answered }) => answered),
      refused: sum(({ refused }) => refused),
      states: sum(({ states }) => states),
      slowestMs: Math.max(...servers.map(({ slowestMs }) => slowestMs)),
    };
  } finally {
    for (const each of ingesters) each.end();
    for (const each of servers) await each.end();
    await database.remove();
  }
}

/** @returns since when the other one could take over */
async function inflict(fault: Fault, holder: Ingester, database: Database): Promise<number> {
  const now = elapsed();
  if (fault === "kill") holder.signal("SIGKILL");
  else if (fault === "stop") holder.signal("SIGSTOP");
  else if (fault === "cut") holder.proxy.cut();
  else if (fault === "stall") holder.proxy.stall();
  else {
    await (fault === "failover" ? database.failOver() : database.restart(fault));
    return elapsed();
  }
  return now;
}

/** Servers see the last commit, too. */
async function requireSeen(servers: readonly Server[], ingesters: readonly Ingester[]): Promise<void> {
  const last = Math.max(...ingesters.map(({ wrote }) => Number([...wrote.keys()].at(-1) ?? 0)));
  await eventually(() => servers.every(({ newest, contradictions }) => newest >= last || contradictions.length > 0));
  for (const { contradictions } of servers) if (contradictions.length > 0) throw new Error(contradictions.join("\n"));
}

/** Every block that an ingester reported is there, and the rows are those of its chain. */
async function compare(url: string, ingesters: readonly Ingester[]): Promise<number> {
  const store = new PostgresStore({ address: { url }, tables });
  try {
    const hashes = await store.snapshot(checkChain);
    for (const { name, wrote } of ingesters) {
      for (const [height, hash] of wrote)
        if (hashes.get(height) !== hash) throw new Error(`contradiction: block ${height}, which ${name} committed, is not there`);
    }
    return hashes.size;
  } finally {
    await store.close();
  }
}

/** A process that says something line by line. */
class Said {
  readonly contradictions: string[] = [];
  protected child!: ChildProcess;
  #isEnded = false;

  protected start(file: string, args: readonly string[]): void {
    const child = spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, file), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.hear(line));
    // as a supervisor does
    void once(child, "exit").then(() => {
      if (!this.#isEnded) this.restart();
    });
  }

  protected restart(): void {}

  protected hear(line: string): void {
    if (line.includes("contradiction") || line.startsWith("wrong")) this.contradictions.push(line);
  }

  end(): void {
    this.#isEnded = true;
    this.child.kill("SIGKILL");
  }
}

class Ingester extends Said {
  readonly proxy: TcpProxy;
  readonly name: string;
  readonly wrote = new Map<bigint, string>();
  fence = 0n;
  isWaiting = false;
  isWriting = false;
  firstWriteAt = 0;
  readonly #url: string;

  private constructor(proxy: TcpProxy, url: string, name: string) {
    super();
    this.proxy = proxy;
    this.#url = url;
    this.name = name;
    this.restart();
  }

  static async start(database: Database, name: string): Promise<Ingester> {
    const { proxy, url } = await database.proxied();
    return new Ingester(proxy, url, name);
  }

  protected override restart(): void {
    [this.isWaiting, this.isWriting] = [false, false];
    this.start("ingester-main.ts", [this.#url, this.name]);
  }

  protected override hear(line: string): void {
    super.hear(line);
    const [what, value, hash] = line.split(" ") as [string, string, string];
    if (what === "waits") this.isWaiting = true;
    if (what === "has") [this.fence, this.isWaiting] = [BigInt(value), false];
    if (what !== "wrote") return;
    if (!this.isWriting) this.firstWriteAt = elapsed();
    this.isWriting = true;
    this.wrote.set(BigInt(value), hash);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async recover(fault: Fault, stoppedMs: number): Promise<void> {
    if (fault !== "stop" && fault !== "stall" && fault !== "cut") return;
    await delay(fault === "cut" ? 0 : stoppedMs);
    this.proxy.mend();
    // it is deposed, and must find out
    if (fault === "stop") this.signal("SIGCONT");
    await eventually(() => !this.isWriting);
  }
}

async function makeStore(url: string): Promise<void> {
  const store = await openPostgresStore({ address: { url }, tables }, { mode: "write" });
  await store.commit([formatChange(network)]);
  await store.close();
}
