import type { Config, ConfigName } from "./config.ts";

/** A flag that is not part of the configuration and applies to this run only. */
interface CommandOption {
  /** "--name <name>" */
  readonly flags: string;
  readonly help: string;
  readonly default?: string;
}

export interface CommandDefinition {
  /** the group of this command, such as `keys` in `firn keys add` */
  readonly group?: { readonly name: string; readonly summary: string };
  /** name and arguments: "import <folder>" */
  readonly usage: string;
  readonly summary: string;
  readonly keys: readonly ConfigName[];
  /** keys with another default for this command, and their help text */
  readonly defaults?: { readonly [N in ConfigName]?: { readonly value: Config[N]; readonly help: string } };
  readonly options?: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Resolves when the command is done. `signal` is aborted by Ctrl-C or SIGTERM. */
  run(input: {
    config: Config;
    args: readonly string[];
    options: Readonly<Record<string, string | undefined>>;
    signal: AbortSignal;
  }): Promise<void>;
}
