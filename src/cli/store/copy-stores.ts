/** Implements `firn copy`; loaded when that runs, because serving does not need it. */
import { resolve } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import { withoutCredentials } from "../../base/json/credentials.ts";
import { type CopyStep, copyRows } from "../../store/copy.ts";
import { openStore, requireStore, type StorePlace } from "../../store/open.ts";
import { placeOf } from "../../store/postgres/address.ts";
import { type Config, ConfigError } from "../config.ts";
import { isLikeUrl, kinds } from "../config-kinds.ts";
import { openLog } from "../log.ts";
import { ProgressLine } from "../progress-line.ts";
import { allTables } from "./all-tables.ts";

interface CopyPlaces {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Both stores are kept from other writers until the end. */
export async function copyStores(places: CopyPlaces, config: Config, signal: AbortSignal): Promise<string> {
  const from = parsePlace(places.from, "--from", config);
  const to = parsePlace(places.to, "--to", config);
  if (nameOf(from) === nameOf(to)) throw new FirnError("store-copy", `${nameOf(from)} cannot be copied into itself; use another --to`);
  // a folder that is written to is made
  if (from.postgres === undefined) requireStore(from.directory);
  const source = await openStore({ ...from, mode: "write" });
  try {
    const maxBytes = config.maxStoreBytes === undefined ? {} : { maxBytes: config.maxStoreBytes };
    const target = await openStore({ ...to, ...maxBytes, mode: "write", isUnfinishedCopy: true });
    const progress = new CopyProgress(config);
    try {
      const isWhole = await copyRows({ from: source, to: target, tables: allTables, onStep: (step) => progress.add(step), signal });
      progress.end();
      return isWhole ? `${progress.summary()}; both stores have the same rows` : `stopped: ${progress.summary()}; the same command goes on`;
    } finally {
      progress.end();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function parsePlace(place: string | undefined, option: string, { storePasswordFile }: Config): StorePlace {
  if (place === undefined) throw new ConfigError("config", `${option} is missing; give a data directory or postgres://user@host/database`);
  if (!isLikeUrl(place)) return { directory: resolve(place) };
  const url = kinds.postgresUrl.parse(place, option);
  if (url === undefined) {
    const shown = withoutCredentials(JSON.stringify(place));
    throw new ConfigError("config", `${option} is ${shown}; use a data directory, or ${kinds.postgresUrl.expects}`);
  }
  return { directory: "", postgres: { address: { url, passwordFile: storePasswordFile }, tables: allTables } };
}

function nameOf({ directory, postgres }: StorePlace): string {
  return postgres === undefined ? directory : placeOf(postgres.address);
}

class CopyProgress {
  readonly #shown: ProgressLine;
  readonly #startedAt = performance.now();
  readonly #rows = { copying: 0, comparing: 0 };

  constructor(config: Config) {
    this.#shown = new ProgressLine({ log: openLog(config), terminal: process.stderr });
  }

  add({ phase, table, rows }: CopyStep): void {
    this.#rows[phase] += rows;
    const { copying: copied, comparing: compared } = this.#rows;
    this.#shown.show({
      line: () => `${phase} ${table}: ${copied} rows copied, ${compared} compared`,
      message: phase === "copying" ? "Copying" : "Comparing",
      facts: () => ({ table, copied, compared }),
    });
  }

  end(): void {
    this.#shown.end();
  }

  summary(): string {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    return `${this.#rows.copying} rows copied, ${this.#rows.comparing} compared in ${seconds} s`;
  }
}
