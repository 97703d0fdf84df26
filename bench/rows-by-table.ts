/** Counts what ingest writes and what the store then holds, by table. */
import type { Change } from "../src/primitives/table.ts";
import type { Store } from "../src/store/store.ts";

export interface TableRows {
  readonly table: string;
  /** rows put or removed, counting those that are overwritten later */
  written: number;
  /** rows that the store holds at the end, and the bytes of their keys and values */
  live: number;
  keyBytes: number;
  valueBytes: number;
}

/** Counts every row that is committed from now on. */
export function countCommitted(store: Store): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const commit = store.commit.bind(store);
  store.commit = (changes: readonly Change[]) => {
    for (const { table } of changes) counts.set(table.name, (counts.get(table.name) ?? 0) + 1);
    return commit(changes);
  };
  return counts;
}

/** Reads a whole store, which nobody writes. The largest table comes first. */
export async function rowsByTable(
  directory: string,
  written: ReadonlyMap<string, number>,
  modules: typeof import("../src/store/inspect.ts") & typeof import("../src/verify/tables.ts"),
): Promise<TableRows[]> {
  const rows = new Map<string, TableRows>();
  const of = (table: string): TableRows => {
    let found = rows.get(table);
    if (found === undefined) {
      found = { table, written: written.get(table) ?? 0, live: 0, keyBytes: 0, valueBytes: 0 };
      rows.set(table, found);
    }
    return found;
  };
  for (const table of written.keys()) of(table);
  const report = (problem: string) => {
    throw new Error(problem);
  };
  await modules.inspectStore(directory, async (store) => {
    for (const entry of store.entries(report)) {
      const id = modules.tableIdOf(entry);
      const row = of(modules.tablesById.get(id ?? -1)?.name ?? `table ${id}`);
      row.live++;
      row.keyBytes += entry.key.length;
      row.valueBytes += entry.value.length;
    }
  });
  return [...rows.values()].sort((a, b) => bytesOf(b) - bytesOf(a));
}

/** @param fileBytes of the store on disk */
export function printRowsByTable(tables: readonly TableRows[], transactions: number, fileBytes: number): void {
  const each = (value: number, digits: number) => (value / transactions).toFixed(digits);
  const line = (name: string, { written, live, keyBytes, valueBytes }: Omit<TableRows, "table">) => {
    const means = [keyBytes, valueBytes].map((bytes) => (live === 0 ? "–" : (bytes / live).toFixed(0)));
    return `| ${[name, each(written, 2), each(live, 2), ...means, each(keyBytes, 1), each(valueBytes, 1), each(keyBytes + valueBytes, 0)].join(" | ")} |`;
  };
  const total = { written: 0, live: 0, keyBytes: 0, valueBytes: 0 };
  console.log("\n| table | rows written/tx | rows/tx | key | value | key bytes/tx | value bytes/tx | bytes/tx |");
  console.log(`|---|${"---:|".repeat(7)}`);
  for (const row of tables) {
    console.log(line(row.table, row));
    for (const column of ["written", "live", "keyBytes", "valueBytes"] as const) total[column] += row[column];
  }
  console.log(line("all", total));
  const used = ((100 * (total.keyBytes + total.valueBytes)) / fileBytes).toFixed(0);
  console.log(`\nthe file: ${each(fileBytes, 0)} bytes/tx, of which rows are ${used} %`);
}

function bytesOf({ keyBytes, valueBytes }: TableRows): number {
  return keyBytes + valueBytes;
}
