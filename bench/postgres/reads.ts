/** Measures readers on a file and on PostgreSQL, with the same requests. */
import { join } from "node:path";
import { BenchTokens } from "../data-tokens.ts";
import { type ReadCase, readCases } from "./cases.ts";
import { loadReaders, type Readers, withReaders } from "./readers.ts";
import type { BenchedPostgres } from "./server.ts";

interface ReadOptions {
  /** `data` in it holds the file */
  readonly folder: string;
  /** numbers of `firn serve` */
  readonly readers: readonly number[];
  readonly seconds: number;
  readonly only: string;
}

interface Measured {
  readonly rate: number;
  readonly cells: readonly (string | number)[];
}

export async function compareReaders(postgres: BenchedPostgres, { folder, readers, seconds, only }: ReadOptions): Promise<void> {
  const dataDir = join(folder, "data");
  const file = ["--data-dir", dataDir];
  // the same secret of page tokens
  const database = [...file, "--store", postgres.url];
  const cases = await withReaders(1, file, ({ origins }) => readCases(origins[0]!, new BenchTokens(dataDir)));
  const chosen = cases.filter(({ name }) => name.includes(only));
  const firstRates = new Map<string, number>();
  for (const count of readers) {
    const measured = (options: readonly string[], databaseSeconds: () => number) =>
      withReaders(count, options, (started) => measureAll(started, chosen, seconds, databaseSeconds, postgres));
    const inFile = await measured(file, () => 0);
    const inPostgres = await measured(database, () => postgres.cpuSeconds);
    console.log(`\n${count} × firn serve; PostgreSQL had ${inPostgres.connections} connections of theirs\n`);
    console.log(
      "| requests | LMDB/s | p50 ms | p99 ms | CPU ms | PostgreSQL/s | p50 ms | p99 ms | CPU ms | of the database | × LMDB | × fewest readers |",
    );
    console.log(`|---|${"---:|".repeat(11)}`);
    for (const { name } of chosen) {
      const [ours, theirs] = [inPostgres.cases.get(name)!, inFile.cases.get(name)!];
      const first = firstRates.get(name) ?? ours.rate;
      firstRates.set(name, first);
      const ratios = [ours.rate / theirs.rate, ours.rate / first].map((ratio) => ratio.toFixed(2));
      console.log(`| ${[name, ...theirs.cells.slice(0, -1), ...ours.cells, ...ratios].join(" | ")} |`);
    }
  }
}

async function measureAll(
  readers: Readers,
  cases: readonly ReadCase[],
  seconds: number,
  databaseSeconds: () => number,
  postgres: BenchedPostgres,
): Promise<{ readonly cases: ReadonlyMap<string, Measured>; readonly connections: number }> {
  const measured = new Map<string, Measured>();
  let connections = 0;
  for (const { name, requests } of cases) {
    // opens connections, and compiles
    await loadReaders(readers, requests, 1);
    const before = { readers: readers.cpuSeconds(), database: databaseSeconds() };
    const load = await loadReaders(readers, requests, seconds);
    const each = [readers.cpuSeconds() - before.readers, databaseSeconds() - before.database].map((all) => (1000 * all) / load.requests);
    connections = Math.max(connections, await postgres.connections());
    const { requestsPerSecond: rate, p50Ms, p99Ms } = load;
    measured.set(name, {
      rate,
      cells: [Math.round(rate), ...[p50Ms, p99Ms].map((ms) => ms.toFixed(2)), ...each.map((ms) => ms.toFixed(2))],
    });
  }
  return { cases: measured, connections };
}
