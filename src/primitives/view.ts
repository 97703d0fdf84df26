import { FirnError } from "./errors.ts";
import type { Change, Table, TableKey, TableValue } from "./table.ts";

/** Raised when execution reads a row that `keysRead` did not name: a defect of the chain, never of the input. */
export class NotPrefetchedError extends FirnError {
  constructor(tableName: string, key: object) {
    super("not-prefetched", `${tableName} ${JSON.stringify(Object.values(key).map(String))} was read without being fetched beforehand`, {
      tableName,
    });
  }
}

/** A key of a row that execution will read. */
export interface RowKey<T extends Table = Table> {
  readonly table: T;
  readonly key: TableKey<T>;
}

export function rowKey<T extends Table>(table: T, key: TableKey<T>): RowKey {
  return { table, key } as RowKey;
}

interface Slot {
  key: object;
  /** the row as the store has it */
  committed: object | undefined;
  current: object | undefined;
}

type Undo = () => void;

/** Stands in the journal for "there was no slot". */
const FORGET = Symbol("forget");

/** The committed row of a slot that was deleted without having been loaded: different from every row and from none. */
const UNSEEN = {};

/**
 * The rows that execution sees: loaded beforehand, changed in memory, drained into one atomic commit.
 * Everything is journaled, so that a block, a transaction or a proposal's branch can be tried and undone: `mark()` … `rollback(mark)`.
 * Rows are immutable: change a row by putting a new object.
 */
export class View {
  readonly #tables = new Map<number, Map<string, Slot>>();
  readonly #resident = new Set<number>();
  readonly #dirty = new Map<Slot, Table>();
  /** in the order in which they were written */
  #unread: Change[] = [];
  /** Pairs: a slot and what it held before, or FORGET; or an undo of something derived, and nothing. Flat, since it grows with every write. */
  #journal: unknown[] = [];

  /** Declares that all rows of a table are loaded: a row that is not here does not exist. */
  setResident(table: Table): void {
    this.#resident.add(table.id);
  }

  isResident(table: Table): boolean {
    return this.#resident.has(table.id);
  }

  /** Puts a row here as the store has it. A row that is already known is left alone: it may be newer. */
  load<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): void {
    const slots = this.#slots(table);
    const name = keyName(key);
    if (!slots.has(name)) slots.set(name, { key, committed: value, current: value });
  }

  /** Whether a row (or its absence) is known, so that it need not be fetched. */
  knows(row: RowKey): boolean {
    return this.#resident.has(row.table.id) || (this.#tables.get(row.table.id)?.has(keyName(row.key)) ?? false);
  }

  get<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    const slot = this.#tables.get(table.id)?.get(keyName(key));
    if (slot !== undefined) return slot.current as TableValue<T> | undefined;
    if (this.#resident.has(table.id)) return undefined;
    throw new NotPrefetchedError(table.name, key);
  }

  /** Writes a row. A key that was never loaded is taken as new: only do this for keys that cannot exist yet, or were loaded. */
  put<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): void {
    this.#set(table, key, value);
  }

  /** Removes a row. One that was never loaded is removed from the store unseen. */
  delete<T extends Table>(table: T, key: TableKey<T>): void {
    this.#set(table, key, undefined);
  }

  /**
   * Writes a row, or removes it, of a table that nobody reads before the commit, when nothing can be undone any more: it has no slot and no
   * journal, which is most of what a row costs. The last write of a key counts. Such a table is written by nothing else.
   */
  writeUnread<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): void {
    this.#unread.push({ table, key, value } as Change);
  }

  /** Registers how to undo a change of something derived from rows (an ordered index in memory). */
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

  /** All changes since the last call, for one atomic commit; afterwards they count as committed and cannot be rolled back. */
  drain(): Change[] {
    const changes: Change[] = [];
    for (const [slot, table] of this.#dirty) {
      if (slot.current === slot.committed) continue;
      changes.push({ table, key: slot.key, value: slot.current } as Change);
      slot.committed = slot.current;
    }
    for (const change of this.#unread) changes.push(change);
    this.#unread = [];
    this.#dirty.clear();
    this.#journal = [];
    return changes;
  }

  /** Forgets the rows of all tables that are not resident; call after a commit. */
  evict(): void {
    for (const id of this.#tables.keys()) if (!this.#resident.has(id)) this.#tables.delete(id);
  }

  /** Iterates the present rows of a resident table, in no particular order. */
  *rows<T extends Table>(table: T): Generator<{ key: TableKey<T>; value: TableValue<T> }> {
    for (const slot of this.#tables.get(table.id)?.values() ?? []) {
      if (slot.current !== undefined) yield { key: slot.key as TableKey<T>, value: slot.current as TableValue<T> };
    }
  }

  #slots(table: Table): Map<string, Slot> {
    let slots = this.#tables.get(table.id);
    if (slots === undefined) {
      slots = new Map();
      this.#tables.set(table.id, slots);
    }
    return slots;
  }

  #set(table: Table, key: object, value: object | undefined): void {
    const slots = this.#slots(table);
    const name = keyName(key);
    let slot = slots.get(name);
    const isUnseenDelete = slot === undefined && value === undefined && !this.#resident.has(table.id);
    if (slot === undefined) {
      slot = { key, committed: isUnseenDelete ? UNSEEN : undefined, current: undefined };
      slots.set(name, slot);
    }
    this.#journal.push(slot, isUnseenDelete ? FORGET : slot.current);
    slot.current = value;
    this.#dirty.set(slot, table);
  }

  /** What the store has of a row that was deleted unseen is unknown again. */
  #forget(slot: Slot): void {
    const table = this.#dirty.get(slot)!;
    this.#dirty.delete(slot);
    this.#tables.get(table.id)!.delete(keyName(slot.key));
  }
}

/** Keys are small flat objects; their columns in declaration order name the row. */
function keyName(key: object): string {
  let name = "";
  for (const column of Object.values(key)) name += `${column}|`;
  return name;
}
