/** The attacked program, started from the command line in a process of its own on a free port of 127.0.0.1. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../bench/free-port.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { PostgresServer } from "../postgres/server.ts";
import type { TargetKind } from "./attack.ts";
import type { UpstreamMode, UpstreamOrder } from "./hostile-upstream.ts";

/** FIRN_PROGRAM names another one to attack: an older one, say. */
const program = process.env.FIRN_PROGRAM ?? fileURLToPath(new URL("../../bin/firn", import.meta.url));
const upstreamMain = fileURLToPath(new URL("hostile-upstream-main.ts", import.meta.url));
const NOBODY = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
const KEPT_OUTPUT = 20_000;
/** whole lines only */
const LISTENING: Readonly<Record<TargetKind, RegExp>> = {
  serve: /serving http:\/\/127\.0\.0\.1:(\d+) /,
  devnet: /http:\/\/127\.0\.0\.1:(\d+)\/ext\/bc\/P\s/,
  follow: /serving http:\/\/127\.0\.0\.1:(\d+) /,
  "follow-postgres": /serving http:\/\/127\.0\.0\.1:(\d+) /,
  peers: /serving http:\/\/127\.0\.0\.1:(\d+) /,
};
/** against hanging only: what is started may have to be built first */
const PATIENCE_MS = 120_000;
/** The node's own time for requests that are on their way, and some for commits. */
const STOP_PATIENCE_MS = 15_000;

export interface TargetOptions {
  readonly kind: TargetKind;
  /** processes that answer; a devnet has one */
  readonly workers: number;
  /** of `serve` and `peers` */
  readonly dataDirectory?: string | undefined;
  readonly arguments?: readonly string[] | undefined;
}

/** What runs beside the target for it. */
interface Beside {
  readonly upstream: Upstream | undefined;
  readonly database: PostgresServer | undefined;
  readonly peerPort: number | undefined;
}

export class FirnTarget {
  readonly kind: TargetKind;
  readonly port: number;
  /** at which peers connect to `peers` */
  readonly peerPort: number | undefined;
  readonly #child: ChildProcess;
  readonly #upstream: Upstream | undefined;
  readonly #database: PostgresServer | undefined;
  readonly #scratch: string;
  readonly #output: () => string;

  private constructor(
    kind: TargetKind,
    port: number,
    child: ChildProcess,
    { upstream, database, peerPort }: Beside,
    scratch: string,
    output: () => string,
  ) {
    this.kind = kind;
    this.port = port;
    this.#child = child;
    this.#upstream = upstream;
    this.#database = database;
    this.peerPort = peerPort;
    this.#scratch = scratch;
    this.#output = output;
  }

  static async start({ kind, workers, dataDirectory, arguments: more = [] }: TargetOptions): Promise<FirnTarget> {
    const scratch = mkdtempSync(join(tmpdir(), "firn-attack-"));
    const peerPort = kind === "peers" ? await freePort() : undefined;
    const upstream = kind.startsWith("follow") ? await Upstream.start() : undefined;
    const database = kind === "follow-postgres" ? await PostgresServer.start() : undefined;
    const place = ["--http-port", "0", "--log-level", "error", ...more];
    const commands: Readonly<Record<TargetKind, () => readonly string[]>> = {
      serve: () => ["serve", "--data-dir", dataDirectory!, "--workers", `${workers}`],
      devnet: () => ["devnet", "--data-dir", scratch],
      follow: () => ["follow", "--data-dir", scratch, "--workers", `${workers}`, "--rpc", upstream!.url],
      "follow-postgres": () => [...commands.follow(), "--store", database!.url()],
      // it serves what it has, and goes on asking for its bootstrapper
      peers: () => [
        ...["follow", "--data-dir", dataDirectory!, "--network", join(recordingFolder("scale-1"), "network.json"), "--level", "replay"],
        ...["--bootstrap-ids", NOBODY, "--bootstrap-ips", "127.0.0.1:1", "--serve-peers", `127.0.0.1:${peerPort}`, "--workers", "1"],
      ],
    };
    const child = spawn(process.execPath, [program, ...commands[kind](), ...place], { stdio: ["ignore", "pipe", "pipe"] });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.removeListener("exit", kill));
    let output = "";
    const told = new Promise<number>((resolve, reject) => {
      const onText = (text: string) => {
        output = (output + text).slice(-KEPT_OUTPUT);
        const match = LISTENING[kind].exec(output);
        if (match !== null) resolve(Number(match[1]));
      };
      for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding("utf8").on("data", onText);
      child.once("exit", () => reject(new Error(`firn ${kind} ended before it listened:\n${output}`)));
      setTimeout(() => reject(new Error(`firn ${kind} did not listen:\n${output}`)), PATIENCE_MS).unref();
    });
    const target = new FirnTarget(kind, await told, child, { upstream, database, peerPort }, scratch, () => output);
    await target.isReady();
    return target;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** URL of its store, if that is in PostgreSQL */
  get store(): string | undefined {
    return this.#database?.url();
  }

  /** the last that it printed */
  get output(): string {
    return this.#output();
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  setUpstream(mode: UpstreamMode): void {
    this.#upstream?.set(mode);
  }

  /** Whether it has indexed all that its node has; a chain that stands still although nothing attacks it has not survived. */
  async reachesHead(patienceMs: number): Promise<boolean> {
    if (this.#upstream === undefined) return true;
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${this.port}/v1/chains`, { headers: { connection: "close" } }).catch(() => undefined);
      await response?.arrayBuffer();
      if (Number(response?.headers.get("firn-height-43112")) === this.#upstream.head) return true;
      if (performance.now() > deadline || this.hasEnded) return false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Returns what is wrong with how it ended, if anything is. */
  async stop(patienceMs = STOP_PATIENCE_MS): Promise<string | undefined> {
    const hadEnded = this.hasEnded;
    const exited = hadEnded ? Promise.resolve() : once(this.#child, "exit");
    let isKilled = false;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => {
      isKilled = true;
      this.#child.kill("SIGKILL");
    }, patienceMs);
    await exited;
    clearTimeout(timer);
    this.#upstream?.stop();
    await this.#database?.stop();
    rmSync(this.#scratch, { recursive: true, force: true });
    if (isKilled) return `did not end within ${patienceMs / 1000} s of SIGTERM`;
    return hadEnded || this.#child.exitCode === 0 ? undefined : `ended with ${this.#child.exitCode ?? this.#child.signalCode}`;
  }

  async isReady(): Promise<void> {
    if (this.kind === "devnet") await this.#evmAnswers();
    if (!(await this.reachesHead(PATIENCE_MS))) throw new Error(`firn ${this.kind} did not index the chain:\n${this.output}`);
  }

  async #evmAnswers(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
    for (;;) {
      const options = { method: "POST", body, headers: { "content-type": "application/json", connection: "close" } };
      const response = await fetch(`http://127.0.0.1:${this.port}/ext/bc/C/rpc`, options).catch(() => undefined);
      if ((await response?.text())?.includes('"result"')) return;
      if (performance.now() > deadline || this.hasEnded) throw new Error(`the devnet's EVM does not answer:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A recording in a store, for `serve`. */
export async function importRecording(name: RecordingName, directory: string): Promise<void> {
  const child = spawn(process.execPath, [program, "import", recordingFolder(name), "--data-dir", directory, "--level", "replay"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`firn import ${name} ended with ${code}`);
}

/** The node that a `follow` asks. */
class Upstream {
  readonly url: string;
  head: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, head: number) {
    this.#child = child;
    this.url = url;
    this.head = head;
    child.on("message", ({ head: changed }: { head: number }) => (this.head = changed));
  }

  static async start(): Promise<Upstream> {
    const child = fork(upstreamMain, { execArgv: ["--import", "tsx"] });
    const order: UpstreamOrder = { recording: recordingFolder("evm-1") };
    child.send(order);
    const [{ url, head }] = (await once(child, "message")) as [{ url: string; head: number }];
    return new Upstream(child, url, head);
  }

  set(mode: UpstreamMode): void {
    this.#child.send(mode);
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}
