/** The rows of a commit by table, each key once: the last change of a row counts. */
import { FirnError } from "../../base/errors/errors.ts";
import type { Table } from "../../base/table/table.ts";
import { type EncodedRows, REMOVED } from "../encoded-rows.ts";
import { rowCodec } from "../lmdb/row-codec.ts";

export interface RowGroup {
  readonly table: Table;
  /** by the bytes of the key, as latin1; undefined: the row is removed */
  readonly rows: ReadonlyMap<string, EncodedRow | undefined>;
}

/** Where a row's key and value are; between them is a mark. */
export interface EncodedRow {
  readonly source: Buffer;
  readonly start: number;
  readonly keyEnd: number;
  readonly end: number;
}

export interface PutRow {
  readonly key: Record<string, unknown>;
  readonly value: Record<string, unknown>;
}

/** @param tables by ID */
export function groupRows(parts: readonly EncodedRows[], tables: ReadonlyMap<number, Table>): RowGroup[] {
  const groups = new Map<number, Map<string, EncodedRow | undefined>>();
  for (const part of parts) addPart(part, groups);
  return [...groups].map(([id, rows]) => {
    const table = tables.get(id);
    if (table === undefined) throw new FirnError("store-schema", `the store has no table with ID ${id}`, { id });
    return { table, rows };
  });
}

function addPart({ bytes, start, ends }: EncodedRows, groups: Map<number, Map<string, EncodedRow | undefined>>): void {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  for (let row = 0; row < ends.length; row += 2) {
    const keyEnd = ends[row]!;
    const end = ends[row + 1]!;
    const id = source.readUInt16BE(at);
    let rows = groups.get(id);
    if (rows === undefined) {
      rows = new Map();
      groups.set(id, rows);
    }
    rows.set(source.toString("latin1", at, keyEnd), end === REMOVED ? undefined : { source, start: at, keyEnd, end });
    at = end === REMOVED ? keyEnd : end;
  }
}

export function keyOf(table: Table, name: string): Record<string, unknown> {
  return rowCodec(table).decodeKey(Buffer.from(name, "latin1")) as Record<string, unknown>;
}

/** Rows that are put. */
export function putsOf({ rows }: RowGroup): EncodedRow[] {
  return [...rows.values()].filter((row) => row !== undefined);
}

export function decoded(table: Table, puts: readonly EncodedRow[]): PutRow[] {
  const codec = rowCodec(table);
  return puts.map(({ source, start, keyEnd, end }) => {
    const key = codec.decodeKey(source.subarray(start, keyEnd));
    return { key, value: codec.decodeValue(source.subarray(keyEnd + 1, end)) } as PutRow;
  });
}
