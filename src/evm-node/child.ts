/**
 * The development node as a process: started on a free port of this machine, gone when it is told so or when Firn is gone. It listens to
 * nobody but this machine and has no accounts of its own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Logger } from "pino";
import type { Hardfork } from "./era.ts";
import { EvmDownError } from "./evm-error.ts";
import { JsonRpcClient } from "./json-rpc-client.ts";

export interface ChildOptions {
  readonly binary: string;
  readonly chainId: number;
  readonly hardfork: Hardfork;
  /** for states that do not fit into memory; its name in the command line also tells whose child this is */
  readonly cacheDirectory: string;
  /** what it starts from: a genesis file or a dump, both JSON */
  readonly start: { readonly genesis: string } | { readonly dump: string };
  readonly log: Logger;
}

/** gas in a block, as on the C-chain since Cortina */
export const BLOCK_GAS_LIMIT = 15_000_000n;
const LISTENING = /Listening on 127\.0\.0\.1:(\d+)/;

/**
 * Becomes the binary, after leaving somebody behind who ends it when the pipe to Firn breaks: that is how a child learns that its parent
 * was killed. A line through the pipe says that there is nothing left to end.
 */
const GUARD = '(read -r line || kill -9 $$) <&3 >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

export class Child {
  readonly rpc: JsonRpcClient;
  readonly hardfork: Hardfork;
  readonly pid: number;
  /** Resolves when the process is gone, with what is known of why. */
  readonly exited: Promise<string>;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, rpc: JsonRpcClient, hardfork: Hardfork, exited: Promise<string>) {
    this.#process = child;
    this.rpc = rpc;
    this.hardfork = hardfork;
    this.pid = child.pid!;
    this.exited = exited;
  }

  /** Resolves once the child answers. @param spawned is told the process's ID as soon as there is one */
  static async start(options: ChildOptions, spawned: (pid: number) => Promise<void>): Promise<Child> {
    const { binary, log, hardfork } = options;
    const child = spawn("/bin/sh", ["-c", GUARD, binary, ...childArguments(options)], {
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      // a group of its own: Ctrl-C is for Firn, which then ends it in order
      detached: true,
      env: { ...process.env, NO_COLOR: "1", RUST_LOG: "error" },
    });
    const exited = once(child, "exit").then(
      ([code, signal]) => `it ended with ${signal ?? `code ${code}`}`,
      (error: Error) => error.message,
    );
    child.stdio[3]!.on("error", () => {});
    void exited.then(() => dismissGuard(child));
    try {
      // what nobody reads is lost when the child ends
      const listening = listeningPort(child, exited, log);
      const [port] = await Promise.all([listening, child.pid !== undefined && spawned(child.pid)]);
      return new Child(child, new JsonRpcClient(port), hardfork, exited);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited;
    this.rpc.close();
  }
}

function childArguments({ chainId, hardfork, cacheDirectory, start }: ChildOptions): string[] {
  const fixed = ["--host", "127.0.0.1", "--port", "0", "--accounts", "0", "--no-mining", "--order", "fifo"];
  const rules = ["--chain-id", `${chainId}`, "--hardfork", hardfork, "--gas-limit", `${BLOCK_GAS_LIMIT}`];
  const source = "dump" in start ? ["--load-state", start.dump] : ["--init", start.genesis];
  return [...fixed, ...rules, "--cache-path", cacheDirectory, ...source];
}

function listeningPort(child: ChildProcess, exited: Promise<string>, log: Logger): Promise<number> {
  return new Promise((resolve, reject) => {
    let complaint = "";
    const lines = createInterface({ input: child.stdout! }).on("line", (line) => {
      const port = LISTENING.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
      if (line.trim() !== "") log.debug({ line }, "EVM wrote");
    });
    const errors = createInterface({ input: child.stderr! }).on("line", (line) => {
      complaint ||= line.trim() && `: ${line.trim()}`;
      log.debug({ line }, "EVM wrote");
    });
    const ended = Promise.all([exited, once(lines, "close"), once(errors, "close")]);
    void ended.then(([reason]) => reject(new EvmDownError(`the C-chain's EVM did not start: ${reason}${complaint}`)));
  });
}

function dismissGuard(child: ChildProcess): void {
  (child.stdio[3] as NodeJS.WritableStream).end("\n");
}
