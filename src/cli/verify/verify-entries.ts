/** The first check of a store: every page is valid, and every entry is a table's row in the form that this version of Firn writes. */
import type { Table } from "../../base/table/table.ts";
import { tablesById } from "../../serve/all-tables.ts";
import { type InspectedStore, readEntry, type StoredEntry, tableIdOf } from "../../store/inspect.ts";
import type { Problems } from "./problems.ts";

/** Numbers of rows, by table ID. */
type RowCounts = ReadonlyMap<number, number>;

/** rows between two pauses, in which the process does other work and checks whether to stop */
const ROWS_PER_TURN = 20_000;

export async function verifyEntries(store: InspectedStore, problems: Problems, signal: AbortSignal): Promise<RowCounts> {
  const counts = new Map<number, number>();
  let turn = 0;
  for (const entry of store.entries((problem) => problems.add(`data.mdb: ${problem}`))) {
    if (++turn % ROWS_PER_TURN === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return counts;
    }
    const id = tableIdOf(entry);
    const table = id === undefined ? undefined : tablesById.get(id);
    if (id === undefined || table === undefined) {
      problems.add(`an entry belongs to no table that this version of Firn knows: its key is ${shortened(entry.key)}`);
      continue;
    }
    counts.set(id, (counts.get(id) ?? 0) + 1);
    const fault = rowFault(table, entry);
    if (fault !== undefined) problems.add(`${table.name}: the row ${shortened(entry.key)} cannot be read: ${fault}`);
  }
  return counts;
}

function rowFault(table: Table, entry: StoredEntry): string | undefined {
  try {
    readEntry(table, entry);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const MOST_KEY_BYTES = 48;

function shortened(key: Buffer): string {
  return key.length <= MOST_KEY_BYTES ? key.toString("hex") : `${key.toString("hex", 0, MOST_KEY_BYTES)}…`;
}
