/** Compares two stores row by row in key order, with constant memory. */
import type { Table } from "../../base/table/table.ts";
import { tablesById } from "../../serve/all-tables.ts";
import { type InspectedStore, readEntry, type StoredEntry, tableIdOf } from "../../store/inspect.ts";
import { keyText } from "./key-text.ts";
import type { Problems } from "./problems.ts";

interface CompareOptions {
  readonly found: InspectedStore;
  readonly expected: InspectedStore;
  /** whether rows of this table are compared */
  readonly compares: (tableId: number) => boolean;
  /** The expected rows are only a part of those that must exist. */
  readonly isPart: boolean;
  readonly problems: Problems;
}

/** Returns the number of rows that were compared. */
export function compareStores({ found, expected, compares, isPart, problems }: CompareOptions): number {
  const left = compared(found, compares);
  const right = compared(expected, compares);
  let rows = 0;
  let [a, b] = [left.next(), right.next()];
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : Buffer.compare(a.value!.key, b.value!.key);
    if (order < 0 && !isPart) problems.add(`${described(a.value!)} does not follow from the blocks`);
    if (order > 0) problems.add(`${described(b.value!)} is missing`);
    if (order === 0 && Buffer.compare(a.value!.value, b.value!.value) !== 0)
      problems.add(`${described(a.value!)} differs from what the blocks produce`);
    if (order >= 0) rows++;
    if (order <= 0) a = left.next();
    if (order >= 0) b = right.next();
    // the remaining rows are not compared
    if (isPart && b.done) break;
  }
  return rows;
}

/** Both stores were walked before, so faults of their pages are known. */
function* compared(store: InspectedStore, compares: (tableId: number) => boolean): Generator<StoredEntry, undefined> {
  for (const entry of store.entries(() => {})) {
    const id = tableIdOf(entry);
    if (id !== undefined && compares(id)) yield entry;
  }
  return undefined;
}

/** `utxos_by_address: the row {"chainId":"…"}` */
function described(entry: StoredEntry): string {
  const table = tablesById.get(tableIdOf(entry)!);
  return table === undefined ? `the entry ${entry.key.toString("hex")}` : `${table.name}: the row ${entryKeyText(table, entry)}`;
}

function entryKeyText(table: Table, entry: StoredEntry): string {
  try {
    return keyText(readEntry(table, entry).key);
  } catch {
    return entry.key.toString("hex");
  }
}
