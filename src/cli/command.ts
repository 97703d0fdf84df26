import type { Config, ConfigName } from "./config.ts";

export interface CommandDefinition {
  /** name and arguments: "import <folder>" */
  readonly usage: string;
  readonly summary: string;
  readonly keys: readonly ConfigName[];
  readonly examples: readonly string[];
  /** Resolves when the command is done. `signal` is aborted by Ctrl-C or SIGTERM. */
  run(input: { config: Config; args: readonly string[]; signal: AbortSignal }): Promise<void>;
}
