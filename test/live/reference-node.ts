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
  /** Resolves with a sentence, whoever ended it, and its last lines. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  constructor({ name, binary, flags, environment, directory }: ReferenceNodeOptions) {
    mkdirSync(directory, { recursive: true });
    const output = join(directory, "output.txt");
    const file = openSync(output, "w");
    const env = { ...process.env, ...environment };
    this.#child = spawn(binary, [...flags, `--data-dir=${directory}`], { stdio: ["ignore", file, file], env });
    closeSync(file);
    const told = () => lastLines(readFileSync(output, "utf8"));
    this.ended = once(this.#child, "exit").then(
      ([code, signal]) => `${name} ended with ${code ?? signal}; its last lines:\n${told()}`,
      (error: Error) => `${name} cannot be started: ${error.message}`,
    );
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.ended;
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}
