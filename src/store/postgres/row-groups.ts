/** The rows of a commit by table, each key once: the last change of a row counts. */
import { FirnError } from "../../primitives/errors.ts";
import type { Table } from "../../primitives/table.ts";
import { type EncodedRows, REMOVED } from "../encoded-rows.ts";
import { rowCodec } from "../lmdb/row-codec.ts";

export interface RowGroup {
  readonly table: Table;
  /** by the bytes of the key, as latin1; undefined: the row is removed */
  readonly rows: ReadonlyMap<string, PutRow | undefined>;
}

export interface PutRow {
  readonly key: Record<string, unknown>;
  readonly value: Record<string, unknown>;
}

/** @param tables by ID */
export function groupRows(parts: readonly EncodedRows[], tables: ReadonlyMap<number, Table>): RowGroup[] {
  const groups = new Map<number, Map<string, Uint8Array | undefined>>();
  for (const part of parts) addPart(part, groups);
  return [...groups].map(([id, rows]) => {
    const table = tables.get(id);
    if (table === undefined) throw new FirnError("store-schema", `the store has no table with ID ${id}`, { id });
    const codec = rowCodec(table);
    const decoded = new Map<string, PutRow | undefined>();
    for (const [name, value] of rows) {
      decoded.set(name, value && ({ key: codec.decodeKey(Buffer.from(name, "latin1")), value: codec.decodeValue(value) } as PutRow));
    }
    return { table, rows: decoded };
  });
}

function addPart({ bytes, start, ends }: EncodedRows, groups: Map<number, Map<string, Uint8Array | undefined>>): void {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  for (let row = 0; row < ends.length; row += 2) {
    const keyEnd = ends[row]!;
    const valueEnd = ends[row + 1]!;
    const id = all.readUInt16BE(at);
    let rows = groups.get(id);
    if (rows === undefined) {
      rows = new Map();
      groups.set(id, rows);
    }
    const name = all.toString("latin1", at, keyEnd);
    // between a key and its value is a mark
    rows.set(name, valueEnd === REMOVED ? undefined : all.subarray(keyEnd + 1, valueEnd));
    at = valueEnd === REMOVED ? keyEnd : valueEnd;
  }
}

export function keyOf(table: Table, name: string): Record<string, unknown> {
  return rowCodec(table).decodeKey(Buffer.from(name, "latin1")) as Record<string, unknown>;
}
