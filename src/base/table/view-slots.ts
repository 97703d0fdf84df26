/** The rows that a view knows, by table and name. */
import type { Change, Table } from "./table.ts";

/** A known row, or its absence. */
export interface Slot {
  readonly table: Table;
  readonly key: object;
  /** the row in the store */
  committed: object | undefined;
  current: object | undefined;
  /** whether it was written since the last drain */
  isDirty: boolean;
}

/** What a row is found by in its table. */
export type Name = unknown;

/** The known rows of one table, by the name of their key. */
export interface Slots {
  readonly nameOf: (key: object) => Name;
  readonly rows: Map<Name, Slot>;
}

/** Committed rows. */
export function slotsOf(table: Table, changes: readonly Change[]): Slots {
  const nameOf = namerOf(table);
  const rows = new Map<Name, Slot>();
  for (const { key, value } of changes) rows.set(nameOf(key), { table, key, committed: value, current: value, isDirty: false });
  return { nameOf, rows };
}

const namers = new WeakMap<Table, Slots["nameOf"]>();

/**
 * The name of a key: its only column, or its columns in the table's order; callers may write a key in any order. It is compiled, because keys
 * are named for every read and write. The columns come from Firn's own tables, never from input.
 */
export function namerOf(table: Table): Slots["nameOf"] {
  let namer = namers.get(table);
  if (namer === undefined) {
    const columns = Object.keys(table.key).map((column) => `key[${JSON.stringify(column)}]`);
    const name = columns.length === 1 ? columns[0]! : `\`${columns.map((column) => `\${${column}}`).join("|")}\``;
    namer = new Function("key", `return ${name};`) as Slots["nameOf"];
    namers.set(table, namer);
  }
  return namer;
}
