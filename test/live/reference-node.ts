/** One node of the reference implementation in a process of its own, and what it said when it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LAST_LINES = 20;

export interface ReferenceNodeOptions {
  readonly name: string;
  /** an AvalancheGo binary */
  readonly binary: string;
  /** flags beside the folder of its data */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** its own */
  readonly directory: string;
}

export class ReferenceNode {
  readonly #options: ReferenceNodeOptions;
  readonly #output: string;
  #child: ChildProcess;
  #ended: Promise<string>;

  constructor(options: ReferenceNodeOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true });
    this.#output = join(options.directory, "output.txt");
    [this.#child, this.#ended] = this.#start();
  }

  /** Resolves with a sentence, whoever ended it, and its last lines. */
  get ended(): Promise<string> {
    return this.#ended;
  }

  #start(): [ChildProcess, Promise<string>] {
    const { name, binary, flags, environment, directory } = this.#options;
    const file = openSync(this.#output, "w");
    const env = { ...process.env, ...environment };
    const child = spawn(binary, [...flags, `--data-dir=${directory}`], { stdio: ["ignore", file, file], env });
    closeSync(file);
    const told = () => lastLines(readFileSync(this.#output, "utf8"));
    const ended = once(child, "exit").then(
      ([code, signal]) => `${name} ended with ${code ?? signal}; its last lines:\n${told()}`,
      (error: Error) => `${name} cannot be started: ${error.message}`,
    );
    return [child, ended];
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    this.#child.kill("SIGCONT");
    await this.#ended;
  }

  /** As `kill -9` does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  restart(): void {
    [this.#child, this.#ended] = this.#start();
  }

  /** It keeps its connections, and is silent. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}
