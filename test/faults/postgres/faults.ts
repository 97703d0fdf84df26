/**
 * Two ingesters and readers over one database, while something fails again and again: the writing process is killed or stopped, its
 * network is cut or stalls, PostgreSQL is restarted or killed. The other one has to take over, and no row may be lost or doubled.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { leaseTables } from "../../../src/store/postgres/lease-tables.ts";
import { PostgresStore } from "../../../src/store/postgres/pg-store.ts";
import { createTable } from "../../../src/store/postgres/schema.ts";
import { PostgresServer } from "../../postgres/server.ts";
import { TcpProxy } from "../../postgres/tcp-proxy.ts";
import { mulberry32 } from "../random.ts";
import { chainTables, checkChain, SCHEMA } from "./chain.ts";

export const FAULTS = ["kill", "stop", "cut", "stall", "restart", "crash"] as const;
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
  /** reads of each reader that saw a new state, and those that said that the store is not there */
  readonly reads: number;
  readonly unavailable: number;
}

const LOOK_AGAIN_MS = 5;
const MOST_DELAY_MS = 300;

export async function runFaults({ faults, seed, readers, stoppedMs, log = () => {} }: FaultsOptions): Promise<FaultsResult> {
  const server = await PostgresServer.start({ shared_buffers: "64MB" });
  const random = mulberry32(seed);
  const ingesters: Ingester[] = [];
  const watching: Reader[] = [];
  try {
    await makeTables(server.url());
    for (const name of ["a", "b"]) ingesters.push(await Ingester.start(server, name));
    for (let count = 0; count < readers; count++) watching.push(new Reader(server.url()));
    const takeOvers: Record<string, number[]> = {};
    for (const [round, fault] of faults.entries()) {
      await until(() => ingesters.some(({ isWriting }) => isWriting) && ingesters.some(({ isWaiting }) => isWaiting));
      await setTimeout(random() * MOST_DELAY_MS);
      const holder = ingesters.find(({ isWriting }) => isWriting)!;
      const before = holder.fence;
      const since = await inflict(fault, holder, server);
      await until(() => ingesters.some(({ fence, isWriting }) => fence > before && isWriting));
      const ms = Math.max(...ingesters.map(({ firstWriteAt }) => firstWriteAt)) - since;
      takeOvers[fault] = [...(takeOvers[fault] ?? []), ms];
      log(`round ${round}: ${fault}, taken over in ${Math.round(ms)} ms`);
      await holder.recover(fault, stoppedMs);
    }
    for (const { contradictions } of [...ingesters, ...watching]) if (contradictions.length > 0) throw new Error(contradictions.join("\n"));
    for (const each of [...ingesters, ...watching]) each.end();
    const blocks = await compare(server.url(), ingesters);
    const sum = (of: (reader: Reader) => number) => watching.map(of).reduce((a, b) => a + b, 0);
    return { takeOvers, blocks, reads: sum(({ reads }) => reads), unavailable: sum(({ unavailable }) => unavailable) };
  } finally {
    for (const each of [...ingesters, ...watching]) each.end();
    await Promise.all(ingesters.map(({ proxy }) => proxy.close()));
    await server.remove();
  }
}

/** @returns since when the other one could take over */
async function inflict(fault: Fault, holder: Ingester, server: PostgresServer): Promise<number> {
  const now = performance.now();
  if (fault === "kill") holder.signal("SIGKILL");
  else if (fault === "stop") holder.signal("SIGSTOP");
  else if (fault === "cut") holder.proxy.cut();
  else if (fault === "stall") holder.proxy.stall();
  else {
    await (fault === "restart" ? server.stop() : server.kill());
    await server.start();
    return performance.now();
  }
  return now;
}

/** Every block that an ingester reported is there, and the rows are those of its chain. */
async function compare(url: string, ingesters: readonly Ingester[]): Promise<number> {
  const store = new PostgresStore({ address: { url }, tables: chainTables });
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

  static async start(server: PostgresServer, name: string): Promise<Ingester> {
    const proxy = await TcpProxy.start(server.port);
    return new Ingester(proxy, server.url().replace(`:${server.port}`, `:${proxy.port}`), name);
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
    if (!this.isWriting) this.firstWriteAt = performance.now();
    this.isWriting = true;
    this.wrote.set(BigInt(value), hash);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async recover(fault: Fault, stoppedMs: number): Promise<void> {
    if (fault !== "stop" && fault !== "stall" && fault !== "cut") return;
    await setTimeout(fault === "cut" ? 0 : stoppedMs);
    this.proxy.mend();
    // it is deposed, and must find out
    if (fault === "stop") this.signal("SIGCONT");
    await until(() => !this.isWriting);
  }
}

class Reader extends Said {
  reads = 0;
  unavailable = 0;

  constructor(url: string) {
    super();
    this.start("reader-main.ts", [url]);
  }

  protected override hear(line: string): void {
    super.hear(line);
    if (line.startsWith("read")) this.reads++;
    if (line.startsWith("unavailable")) this.unavailable++;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(LOOK_AGAIN_MS);
}

async function makeTables(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of [
    `CREATE SCHEMA "${SCHEMA}"`,
    `SET search_path = "${SCHEMA}"`,
    ...leaseTables(SCHEMA),
    ...chainTables.map(createTable),
  ]) {
    await client.query(statement);
  }
  await client.end();
}
