/** Counts what ingest writes and what the store then holds, by table. */
import type { Change, Table } from "../src/base/table/table.ts";
import { type EncodedRows, REMOVED } from "../src/store/encoded-rows.ts";
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

/** Counts every row that is committed from now on. @param tablesById tables of rows that are committed encoded */
export function countCommitted(store: Store, tablesById: ReadonlyMap<number, Table> = new Map()): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const commit = store.commit.bind(store);
  store.commit = (changes: readonly Change[], encoded: readonly EncodedRows[] = []) => {
    for (const { table } of changes) count(table.name);
    for (const rows of encoded) for (const id of tableIdsOf(rows)) count(tablesById.get(id)?.name ?? `table ${id}`);
    return commit(changes, encoded);
  };
  return counts;
}

/** The table of each row: a key begins with its ID. */
function* tableIdsOf({ bytes, start, ends }: EncodedRows): Generator<number> {
  let at = start;
  for (let row = 0; row < ends.length; row += 2) {
    yield bytes[at]! * 256 + bytes[at + 1]!;
    at = ends[row + 1] === REMOVED ? ends[row]! : ends[row + 1]!;
  }
}

/** Reads a whole store, which nobody writes. The largest table comes first. */
export async function rowsByTable(
  directory: string,
  written: ReadonlyMap<string, number>,
  modules: typeof import("../src/store/inspect.ts") & typeof import("../src/serve/all-tables.ts"),
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
