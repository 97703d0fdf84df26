/** Reads a store for checks: every entry of one committed state without trusting the file, and the rows of that state. */
import { FirnError } from "../base/errors/errors.ts";
import type { Row, Table } from "../base/table/table.ts";
import { entriesOf } from "./lmdb/file-check.ts";
import { LmdbStore } from "./lmdb/lmdb-store.ts";
import type { Entry } from "./lmdb/page-walk.ts";
import { decodeRow, rowCodec } from "./lmdb/row-codec.ts";
import { requireStore, storePath } from "./open.ts";
import type { StoreReader } from "./store.ts";

export type StoredEntry = Entry;

export interface InspectedStore {
  /** Use it only after `entries` has found nothing, because it relies on the pages. */
  readonly reader: StoreReader;
  /** All entries in key order; reports what is wrong with their pages. */
  entries(report: (problem: string) => void): Iterable<StoredEntry>;
}

/** Others may write meanwhile; the inspected state does not change. */
export async function inspectStore<R>(directory: string, use: (store: InspectedStore) => Promise<R>): Promise<R> {
  requireStore(directory);
  const path = storePath(directory);
  const store = new LmdbStore({ directory: path, isReadOnly: true });
  try {
    return await store.pinNewest((reader, state) => use({ reader, entries: (report) => entriesOf(path, state, report) }));
  } finally {
    await store.close();
  }
}

const KEY_TABLE_BYTES = 2;

/** undefined if the key is too short to be a table's */
export function tableIdOf({ key }: StoredEntry): number | undefined {
  return key.length < KEY_TABLE_BYTES ? undefined : key.readUInt16BE(0);
}

/** The row of an entry. Throws unless its bytes are exactly those that Firn would write. */
export function readEntry<T extends Table>(table: T, entry: StoredEntry): Row<T> {
  const codec = rowCodec(table);
  // a row's byte strings are views of the bytes it was read from
  const row = decodeRow<T>(codec, entry.key, Buffer.from(entry.value));
  if (!codec.encodeKey(row.key).equals(entry.key)) throw new FirnError("row-key", "its key has the wrong bytes");
  if (Buffer.compare(codec.encodeValue(row.value), entry.value) !== 0) throw new FirnError("row-value", "it has the wrong bytes");
  return row;
}
