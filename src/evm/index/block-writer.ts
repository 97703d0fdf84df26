/**
 * Writes a block's rows into the view and, if the block may be replaced, notes in a record how to undo them. There are two kinds of rows,
 * by table: those that the index never reads again, such as rows of one block, and those that change from block to block, which must have been
 * fetched.
 */
import type { Table, TableKey, TableValue } from "../../base/table/table.ts";
import type { View } from "../../base/table/view.ts";
import type { UndoRecord } from "./undo-record.ts";

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
