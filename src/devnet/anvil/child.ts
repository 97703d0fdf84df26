/**
 * Runs the development EVM (anvil) as a child process. It listens at an address of this machine that nobody else knows, has no accounts of
 * its own, and ends with Firn.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import type { Logger } from "pino";
import { EMPTY_ID } from "../../base/bytes/id.ts";
import type { Hardfork } from "./chains/era.ts";
import { EvmDownError } from "./evm-error.ts";
import { JsonRpcClient } from "./json-rpc-client.ts";
import { type EvmState, stateAtBlock } from "./sealing/evm-edits.ts";

interface ChildOptions {
  readonly binary: string;
  /** of whom errors speak: "the C-chain" */
  readonly name: string;
  readonly evmChainId: bigint;
  /** of a block */
  readonly gasLimit: bigint;
  readonly hardfork: Hardfork;
  /** for states that do not fit into memory; because it is in the command line, it also identifies the process as this network's child */
  readonly cacheDirectory: string;
  /** the file it starts from: a genesis or a dump, both JSON */
  readonly start: { readonly genesis: string } | { readonly dump: string };
  /** most memory it may allocate */
  readonly memoryBytes: number;
  readonly log: Logger;
}

const LISTENING = /Listening on [\d.]+:(\d+)/;

/**
 * Starts a background shell that kills this process when the pipe to Firn breaks, so that the child ends even if Firn was killed. A line
 * through the pipe ends the shell instead.
 */
const GUARD = "(read -r line || kill -9 $$) <&3 >/dev/null 2>&1 &";
/**
 * A child that allocates more than this ends, rather than exhausting the machine's memory. Where the shell does not support the limit,
 * there is none.
 */
const limited = (memoryBytes: number) => `ulimit -d ${Math.ceil(memoryBytes / 1024)} 2>/dev/null`;

export class Child {
  readonly rpc: JsonRpcClient;
  readonly hardfork: Hardfork;
  readonly pid: number;
  /** Resolves when the process has ended, with the reason as far as it is known. */
  readonly exited: Promise<string>;
  /** what it was told to hold; whoever seals a block or edits accounts sets it */
  state: EvmState = stateAtBlock(0n, EMPTY_ID);
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, rpc: JsonRpcClient, hardfork: Hardfork, exited: Promise<string>) {
    this.#process = child;
    this.rpc = rpc;
    this.hardfork = hardfork;
    this.pid = child.pid!;
    this.exited = exited;
  }

  /** Resolves once the child answers. @param spawned called with the process ID as soon as it is known */
  static async start(options: ChildOptions, spawned: (pid: number) => Promise<void>): Promise<Child> {
    const { binary, hardfork, name } = options;
    const script = `${GUARD} ${limited(options.memoryBytes)}; exec "$0" "$@" 3<&-`;
    const host = await secretHost();
    const child = spawn("/bin/sh", ["-c", script, binary, ...childArguments(options, host)], {
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      // its own process group: Ctrl-C reaches only Firn, which then ends the child in order
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
      // output must be read from the start, or it is lost when the child ends
      const listening = listeningPort(child, exited, options);
      const [port] = await Promise.all([listening, child.pid !== undefined && spawned(child.pid)]);
      return new Child(child, new JsonRpcClient(new URL(`http://${host}:${port}`), name), hardfork, exited);
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

const LOOPBACK = "127.0.0.1";

/**
 * The child obeys whoever reaches it, also web pages of a browser on this machine, which may connect to any port of 127.0.0.1 and try them
 * all. So it listens at one of the sixteen million other addresses of the loopback interface, where the system has them.
 */
async function secretHost(): Promise<string> {
  const host = `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
  const probe = createServer().listen(0, host);
  const hasIt = await once(probe, "listening").then(
    () => true,
    () => false,
  );
  probe.close();
  return hasIt ? host : LOOPBACK;
}

function childArguments({ evmChainId, gasLimit, hardfork, cacheDirectory, start }: ChildOptions, host: string): string[] {
  const server = ["--host", host, "--port", "0", "--no-cors", "--no-request-size-limit"];
  const fixed = [...server, "--accounts", "0", "--no-mining", "--order", "fifo"];
  // a block is final once it is accepted: safe and finalized are the newest one
  const finality = ["--slots-in-an-epoch", "0"];
  const rules = ["--chain-id", `${evmChainId}`, "--hardfork", hardfork, "--gas-limit", `${gasLimit}`];
  const source = "dump" in start ? ["--load-state", start.dump] : ["--init", start.genesis];
  return [...fixed, ...finality, ...rules, "--cache-path", cacheDirectory, ...source];
}

function listeningPort(child: ChildProcess, exited: Promise<string>, { name, log }: ChildOptions): Promise<number> {
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
    void ended.then(([reason]) => reject(new EvmDownError(`${name}'s EVM did not start: ${reason}${complaint}`)));
  });
}

function dismissGuard(child: ChildProcess): void {
  (child.stdio[3] as NodeJS.WritableStream).end("\n");
}
