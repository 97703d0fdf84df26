/**
 * Where a block's rows go: into the view, and, of a block that may be replaced, into the record that undoes it. Two kinds of rows, by table:
 * those of a block alone, which the index never reads again, and those that change from block to block, which were fetched.
 */
import type { Table, TableKey, TableValue } from "../../primitives/table.ts";
import type { View } from "../../primitives/view.ts";
import type { UndoRecord } from "./undo-record.ts";

export class BlockWriter {
  readonly #view: View;
  readonly #undo: UndoRecord | undefined;

  constructor(view: View, undo: UndoRecord | undefined) {
    this.#view = view;
    this.#undo = undo;
  }

  /** A row that is the block's own: no other block writes its key. */
  add<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): void {
    this.#view.writeUnread(table, key, value);
    this.#undo?.note(table, key, undefined);
  }

  read<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.#view.get(table, key);
  }

  /** @param before what `read` gives, or what follows from other rows; undefined: no row. @param after undefined: removes it */
  change<T extends Table>(table: T, key: TableKey<T>, before: TableValue<T> | undefined, after: TableValue<T> | undefined): void {
    if (after === undefined) this.#view.delete(table, key);
    else this.#view.put(table, key, after);
    this.#undo?.note(table, key, before);
  }

  /** Tells others that something is to be done: never undone, since it does no harm to do it in vain. */
  ask<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T>): void {
    this.#view.writeUnread(table, key, value);
  }
}
