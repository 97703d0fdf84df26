import type { Config, ConfigName } from "./config.ts";

/** A flag that is no configuration: it says what this one run shall do. */
export interface CommandOption {
  /** "--name <name>" */
  readonly flags: string;
  readonly help: string;
  readonly default?: string;
}

export interface CommandDefinition {
  /** the command that this one belongs to, as `keys` in `firn keys add` */
  readonly group?: { readonly name: string; readonly summary: string };
  /** name and arguments: "import <folder>" */
  readonly usage: string;
  readonly summary: string;
  readonly keys: readonly ConfigName[];
  /** of keys whose default is another one here, and what help says of them then */
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
