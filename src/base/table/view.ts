import { FirnError } from "../errors/errors.ts";
import type { Change, Table, TableKey, TableValue } from "./table.ts";

// The rows that a view knows, by table and name.

/** A known row, or its absence. */
interface Slot {
  readonly table: Table;
  readonly key: object;
  /** the row in the store */
  committed: object | undefined;
  current: object | undefined;
  /** whether it was written since the last drain */
  isDirty: boolean;
}

/** A row's place in its table. */
type Name = unknown;

/** The known rows of one table, by the name of their key. */
interface Slots {
  readonly nameOf: (key: object) => Name;
  readonly rows: Map<Name, Slot>;
}

/** Committed rows. */
function slotsOf(table: Table, changes: readonly Change[]): Slots {
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
function namerOf(table: Table): Slots["nameOf"] {
  let namer = namers.get(table);
  if (namer === undefined) {
    const columns = Object.keys(table.key).map((column) => `key[${JSON.stringify(column)}]`);
    const name = columns.length === 1 ? columns[0]! : `\`${columns.map((column) => `\${${column}}`).join("|")}\``;
    namer = new Function("key", `return ${name};`) as Slots["nameOf"];
    namers.set(table, namer);
  }
  return namer;
}

/** Execution read a row that `keysRead` did not name. This is a defect of the chain's code, never of the input. */
export class NotPrefetchedError extends FirnError {
  constructor({ name: tableName, key: columns }: Table, key: object) {
    const values = Object.keys(columns).map((column) => String((key as Record<string, unknown>)[column]));
    super("not-prefetched", `${tableName} ${JSON.stringify(values)} was read without being fetched beforehand`, { tableName });
  }
}

/** The key of a row that execution will read. */
export interface RowKey<T extends Table = Table> {
  readonly table: T;
  readonly key: TableKey<T>;
}

export function rowKey<T extends Table>(table: T, key: TableKey<T>): RowKey {
  return { table, key } as RowKey;
}

/** Rows of a table that a view does not know, by name. */
export interface MissingRows {
  readonly table: Table;
  readonly keys: ReadonlyMap<Name, TableKey<Table>>;
}

/** Rows handed to the store, which may not have them yet. */
interface Departed {
  /** tables that are not resident */
  readonly tables: Map<number, Slots>;
  readonly unread: Map<number, Change[]>;
}

type Undo = () => void;

/** Marks in the journal that there was no slot before. */
const FORGET = Symbol("forget");

/** Stands for the committed row of a slot that was deleted without being loaded; differs from every row and from undefined. */
const UNSEEN = {};

/**
 * The rows that execution uses: loaded beforehand, changed in memory, drained into one atomic commit. Every change is journaled, so that a
 * block, a transaction or a proposal's branch can be tried and undone: `mark()` … `rollback(mark)`. Rows are immutable: to change one, put
 * a new object.
 */
export class View {
  #tables = new Map<number, Slots>();
  readonly #resident = new Set<number>();
  /** in the order in which they were first written; those that were forgotten since are no longer marked */
  #dirty: Slot[] = [];
  /** of each table in the order in which they were written */
  #unread = new Map<number, Change[]>();
  #departed: Departed | undefined;
  /** The row found last. Naming a key costs most of an access, and a row is mostly written with the key object that it was read with. */
  #found: Slot | undefined;
  #foundBy: object | undefined;
  /** Pairs: a slot and its previous value, or FORGET; or an undo function and undefined. Flat, because every write adds to it. */
  #journal: unknown[] = [];

  /** Declares that all rows of a table are loaded, so a row that is not here does not exist. */
  setResident(table: Table): void {
    this.#resident.add(table.id);
  }

  /** Loads a row from the store. A row that is already known is kept, because it may be newer. */
  load<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): void {
    const { nameOf, rows } = this.#slots(table);
    const name = nameOf(key);
    if (!rows.has(name)) rows.set(name, { table, key, committed: value, current: value, isDirty: false });
  }

  /** Whether a row (or its absence) is known, so that it need not be fetched. */
  knows(row: RowKey): boolean {
    if (this.#resident.has(row.table.id) || this.#find(row.table, row.key) !== undefined) return true;
    return this.#departed !== undefined && this.#recall(row.table, namerOf(row.table)(row.key));
  }

  /** Those of the wanted rows that are not known and have to be fetched, each once. */
  missing(wanted: Iterable<RowKey>): MissingRows[] {
    const missing = new Map<Table, Map<Name, TableKey<Table>>>();
    for (const { table, key } of wanted) {
      if (this.#resident.has(table.id)) continue;
      const { nameOf, rows } = this.#slots(table);
      const name = nameOf(key);
      if (rows.has(name) || this.#recall(table, name)) continue;
      const keys = missing.get(table);
      if (keys === undefined) missing.set(table, new Map([[name, key]]));
      else if (!keys.has(name)) keys.set(name, key);
    }
    return [...missing].map(([table, keys]) => ({ table, keys }));
  }

  /** Loads what `missing` returned. @param values as the store has them, in the order of the keys */
  loadMissing({ table, keys }: MissingRows, values: readonly (object | undefined)[]): void {
    const { rows } = this.#slots(table);
    let index = 0;
    for (const [name, key] of keys) {
      const value = values[index++];
      if (!rows.has(name)) rows.set(name, { table, key, committed: value, current: value, isDirty: false });
    }
  }

  get<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    const slot = this.#find(table, key);
    if (slot !== undefined) return slot.current as TableValue<T> | undefined;
    if (this.#resident.has(table.id)) return undefined;
    throw new NotPrefetchedError(table, key);
  }

  /** Writes a row. A key that was never loaded is assumed to be new, so use this only for keys that were loaded or cannot exist yet. */
  put<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): void {
    this.#set(table, key, value);
  }

  /** Removes a row. A row that was never loaded is removed from the store too. */
  delete<T extends Table>(table: T, key: TableKey<T>): void {
    this.#set(table, key, undefined);
  }

  /**
   * Writes or removes a row of a table that is not read before the commit begins, at a point after which nothing is undone. It has no slot
   * and no journal entry, which make up most of a row's cost. The last write of a key counts. Such a table must only be written this way.
   */
  writeUnread<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): void {
    const written = this.#unread.get(table.id);
    if (written === undefined) this.#unread.set(table.id, [{ table, key, value } as Change]);
    else written.push({ table, key, value } as Change);
  }

  /** Registers the undo of a change to something derived from rows, such as an ordered index in memory. */
  onRollback(undo: Undo): void {
    this.#journal.push(undo, undefined);
  }

  mark(): number {
    return this.#journal.length / 2;
  }

  rollback(mark: number): void {
    while (this.#journal.length > mark * 2) {
      const before = this.#journal.pop();
      const changed = this.#journal.pop() as Slot | Undo;
      if (typeof changed === "function") changed();
      else if (before === FORGET) this.#forget(changed);
      else changed.current = before as object | undefined;
    }
  }

  /** Runs something whose changes are undone afterwards. */
  tryOut<T>(run: () => T): T {
    const mark = this.mark();
    try {
      return run();
    } finally {
      this.rollback(mark);
    }
  }

  /** Runs something whose changes are undone if it throws. */
  whole<T>(run: () => T): T {
    const mark = this.mark();
    try {
      return run();
    } catch (error) {
      this.rollback(mark);
      throw error;
    }
  }

  /** Returns all changes since the last call, for one atomic commit. They then count as committed and cannot be rolled back. */
  drain(): Change[] {
    const changes: Change[] = [];
    for (const slot of this.#dirty) {
      if (!slot.isDirty) continue;
      slot.isDirty = false;
      if (slot.current === slot.committed) continue;
      changes.push({ table: slot.table, key: slot.key, value: slot.current } as Change);
      slot.committed = slot.current;
    }
    for (const written of this.#unread.values()) for (const change of written) changes.push(change);
    this.#unread = new Map();
    this.#dirty = [];
    this.#journal = [];
    return changes;
  }

  /**
   * Returns all changes for a commit that the next batch does not wait for. Until `endCommit`, the rows of this batch are kept apart, because
   * the store may not have them: a row that the next batch asks for (`knows`) is taken over from them. One commit at a time can be under way.
   */
  beginCommit(): Change[] {
    if (this.#departed !== undefined) throw new TypeError("a commit is under way");
    const unread = this.#unread;
    const changes = this.drain();
    this.#foundBy = undefined;
    const tables = this.#tables;
    this.#tables = new Map();
    for (const [id, slots] of tables) {
      if (!this.#resident.has(id)) continue;
      this.#tables.set(id, slots);
      tables.delete(id);
    }
    this.#departed = { tables, unread };
    return changes;
  }

  /** The store has what `beginCommit` returned. */
  endCommit(): void {
    this.#departed = undefined;
  }

  /** Drops the rows of all tables that are not resident. Call it after a commit. */
  evict(): void {
    this.#foundBy = undefined;
    for (const id of this.#tables.keys()) if (!this.#resident.has(id)) this.#tables.delete(id);
  }

  /** Iterates over the existing rows of a resident table, in no particular order. */
  *rows<T extends Table>(table: T): Generator<{ key: TableKey<T>; value: TableValue<T> }> {
    for (const slot of this.#tables.get(table.id)?.rows.values() ?? []) {
      if (slot.current !== undefined) yield { key: slot.key as TableKey<T>, value: slot.current as TableValue<T> };
    }
  }

  #find(table: Table, key: object): Slot | undefined {
    if (key === this.#foundBy && this.#found!.table === table) return this.#found;
    const slots = this.#tables.get(table.id);
    const slot = slots?.rows.get(slots.nameOf(key));
    if (slot === undefined) return undefined;
    this.#found = slot;
    this.#foundBy = key;
    return slot;
  }

  /** Takes a row over from the commit under way; false if it is not among its rows, so that the store has it as it is. */
  #recall(table: Table, name: Name): boolean {
    if (this.#departed === undefined) return false;
    const { tables, unread } = this.#departed;
    const written = unread.get(table.id);
    if (written !== undefined) {
      tables.set(table.id, slotsOf(table, written));
      unread.delete(table.id);
    }
    const departed = tables.get(table.id);
    if (departed === undefined) return false;
    const slot = departed.rows.get(name);
    if (slot === undefined) return false;
    this.#slots(table).rows.set(name, slot);
    return true;
  }

  #slots(table: Table): Slots {
    let slots = this.#tables.get(table.id);
    if (slots === undefined) {
      slots = { nameOf: namerOf(table), rows: new Map() };
      this.#tables.set(table.id, slots);
    }
    return slots;
  }

  #set(table: Table, key: object, value: object | undefined): void {
    if (key === this.#foundBy && this.#found!.table === table) {
      this.#write(this.#found!, value, this.#found!.current);
      return;
    }
    const { nameOf, rows } = this.#slots(table);
    const name = nameOf(key);
    const slot = rows.get(name);
    if (slot !== undefined) {
      this.#write(slot, value, slot.current);
      return;
    }
    const isUnseenDelete = value === undefined && !this.#resident.has(table.id);
    const made = { table, key, committed: isUnseenDelete ? UNSEEN : undefined, current: undefined, isDirty: false };
    rows.set(name, made);
    this.#write(made, value, isUnseenDelete ? FORGET : undefined);
  }

  /** @param before what a rollback restores */
  #write(slot: Slot, value: object | undefined, before: object | undefined | typeof FORGET): void {
    this.#journal.push(slot, before);
    slot.current = value;
    if (slot.isDirty) return;
    slot.isDirty = true;
    this.#dirty.push(slot);
  }

  /** After the undo of a delete without load, it is again unknown what the store holds. */
  #forget(slot: Slot): void {
    slot.isDirty = false;
    this.#foundBy = undefined;
    const { nameOf, rows } = this.#slots(slot.table);
    rows.delete(nameOf(slot.key));
  }
}
