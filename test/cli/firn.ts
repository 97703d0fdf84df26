/** Runs the program from the command line. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEveryTest } from "../after-every-test.ts";

/** FIRN_PROGRAM names another one to test: an installed one, say. */
const program = process.env.FIRN_PROGRAM ?? fileURLToPath(new URL("../../bin/firn", import.meta.url));
const running = new Set<ChildProcess>();

afterEveryTest(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
}

/** Runs a command to its end. */
export function run(args: readonly string[], { environment = {}, directory }: RunOptions = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8", env, cwd: directory });
  return { exitCode: status, output: stdout, error: stderr };
}

export class FirnProcess {
  readonly child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  #output = "";
  #error = "";

  constructor(args: readonly string[], { environment = {}, directory }: RunOptions = {}) {
    const env = { ...process.env, ...environment };
    this.child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env, cwd: directory });
    running.add(this.child);
    this.#exited = once(this.child, "close");
    this.child.stdout!.on("data", (chunk) => (this.#output += chunk));
    this.child.stderr!.on("data", (chunk) => (this.#error += chunk));
  }

  get output(): string {
    return this.#output;
  }

  get error(): string {
    return this.#error;
  }

  /** Resolves with what `pattern` finds in what is printed. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match) return match;
      const ended = await Promise.race([once(this.child.stdout!, "data").then(() => false), this.#exited.then(() => true)]);
      if (ended && !pattern.test(this.#output)) {
        throw new Error(`the process ended without printing ${pattern}: ${this.#output}${this.#error}`);
      }
    }
  }

  /** Resolves with the exit code. */
  async end(signal: NodeJS.Signals = "SIGINT"): Promise<unknown> {
    this.child.kill(signal);
    const [exitCode] = await this.#exited;
    running.delete(this.child);
    return exitCode;
  }

  /** Of one that ends by itself. */
  async exitCode(): Promise<unknown> {
    return (await this.#exited)[0];
  }
}
