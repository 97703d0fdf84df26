/**
 * How to undo a block: the rows that it wrote, each with its value before, in the order of writing.
 *
 * record = for each row: u16 table ID ++ key columns ++ bool whether there was a row ++ its value columns
 */
import { bool } from "../../base/codec/codec.ts";
import { Reader } from "../../base/codec/reader.ts";
import { struct } from "../../base/codec/struct.ts";
import { Writer } from "../../base/codec/writer.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { indexTables } from "./chain-tables.ts";

const tablesById = new Map(indexTables.map((table: Table) => [table.id, { table, key: struct(table.key), value: struct(table.value) }]));

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
