/**
 * Writes a block's rows into the view and, if the block may be replaced, notes in a record how to undo them. There are two kinds of rows,
 * by table: those that the index never reads again, such as rows of one block, and those that change from block to block, which must have been
 * fetched.
 */
import { bool, struct } from "../../base/codec/codec.ts";
import { Reader, Writer } from "../../base/codec/reader.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change, Table, TableKey, TableValue } from "../../base/table/table.ts";
import type { View } from "../../base/table/view.ts";
import { indexTables } from "./chain-tables.ts";

const tablesById = new Map(indexTables.map((table: Table) => [table.id, { table, key: struct(table.key), value: struct(table.value) }]));

/**
 * How to undo a block: the rows that it wrote, each with its value before, in the order of writing.
 *
 * record = for each row: u16 table ID ++ key columns ++ bool whether there was a row ++ its value columns
 */
export class UndoRecord {
  readonly #writer = new Writer(4096);

  note<T extends Table>(table: T, key: TableKey<T>, before: TableValue<T> | undefined): void {
    const codecs = codecsOf(table.id);
    this.#writer.u16(table.id);
    codecs.key.encode(this.#writer, key);
    bool.encode(this.#writer, before !== undefined);
    if (before !== undefined) codecs.value.encode(this.#writer, before);
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }
}

/** Changes that restore the rows, in the order in which they must be written: the reverse of the block's. */
export function changesThatUndo(record: Uint8Array): Change[] {
  const reader = new Reader(record);
  const changes: Change[] = [];
  while (reader.left > 0) {
    const { table, key, value } = codecsOf(reader.u16());
    const changed = key.decode(reader);
    changes.push({ table, key: changed, value: bool.decode(reader) ? value.decode(reader) : undefined });
  }
  return changes.reverse();
}

function codecsOf(tableId: number) {
  const codecs = tablesById.get(tableId);
  if (codecs === undefined)
    throw new FirnError("undo-table", `an undo record names table ${tableId}, which is not a table of an EVM index`, {
      tableId,
    });
  return codecs;
}

/** Where the rows go. */
export type RowTarget = Pick<View, "writeUnread" | "get" | "put" | "delete">;

export class BlockWriter {
  readonly #view: RowTarget;
  readonly #undo: UndoRecord | undefined;

  constructor(view: RowTarget, undo: UndoRecord | undefined) {
    this.#view = view;
    this.#undo = undo;
  }

  /** Adds a row that only this block writes. */
  add<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): void {
    this.#view.writeUnread(table, key, value);
    this.#undo?.note(table, key, undefined);
  }

  /** Removes such a row, of a block that cannot be undone. */
  remove<T extends Table>(table: T, key: TableKey<T>): void {
    this.#view.writeUnread(table, key, undefined);
  }

  read<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.#view.get(table, key);
  }

  /** @param before the row as read, or as it follows from other rows; undefined: no row. @param after undefined: removes it */
  change<T extends Table>(table: T, key: TableKey<T>, before: TableValue<T> | undefined, after: TableValue<T> | undefined): void {
    if (after === undefined) this.#view.delete(table, key);
    else this.#view.put(table, key, after);
    this.#undo?.note(table, key, before);
  }

  /** The same for a row that nobody reads before it is committed, though several blocks may write it. */
  swap<T extends Table>(table: T, key: TableKey<T>, before: TableValue<T> | undefined, after: TableValue<T> | undefined): void {
    this.#view.writeUnread(table, key, after);
    this.#undo?.note(table, key, before);
  }

  /** Queues work for others. It is never undone, since extra work does no harm. */
  ask<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): void {
    this.#view.writeUnread(table, key, value);
  }
}
