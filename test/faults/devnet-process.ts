/** Runs a devnet in a process of its own, started from the command line; kills, restarts and measures it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { call } from "../devnet/json-rpc.ts";
import { eventually, stopwatch } from "../patience.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));

export interface DevnetProcessOptions {
  readonly dataDirectory: string;
  readonly port: number;
  readonly arguments?: readonly string[];
}

export class DevnetProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #elapsed = stopwatch();
  #output = "";

  constructor({ dataDirectory, port, arguments: more = [] }: DevnetProcessOptions) {
    this.url = `http://127.0.0.1:${port}`;
    const args = [firn, "devnet", "--data-dir", dataDirectory, "--http-port", `${port}`, ...more];
    this.#child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-20_000);
      });
    }
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** the last that it said */
  get output(): string {
    return this.#output;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Milliseconds from the start to the first answer that holds a height. */
  async answers(): Promise<number> {
    await this.#until("an answer", async () => {
      const { result } = await call(this.url, { path: "/ext/bc/P", method: "platform.getHeight", params: {} });
      return result !== undefined;
    });
    return this.#elapsed();
  }

  /** Milliseconds from the start to the first answer of the C-chain's EVM. */
  async evmAnswers(): Promise<number> {
    await this.#until("an answer of the EVM", async () => {
      const { result } = await call(this.url, { path: "/ext/bc/C/rpc", method: "eth_blockNumber", params: [] });
      return result !== undefined;
    });
    return this.#elapsed();
  }

  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    if (this.hasEnded) return;
    this.#child.kill(signal);
    await once(this.#child, "exit");
  }

  async #until(what: string, isThere: () => Promise<boolean>): Promise<void> {
    await eventually(() => {
      if (this.hasEnded) throw new Error(`the devnet ended before there was ${what}:\n${this.#output}`);
      return isThere().catch(() => false);
    });
  }
}

/** Whether a process runs; one that ended and that nobody asked for its exit code does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !/^\d+ \(.*\) Z/.test(readFileSync(state, "utf8"));
}
