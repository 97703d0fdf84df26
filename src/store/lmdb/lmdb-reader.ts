/** Reads rows and entries of an LMDB file: of the newest committed state, or of one that a transaction pins. */
import type { Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { type Column, cutParts, type PartOf, type ScanRange, type StoreReader } from "../store.ts";
import { storeError } from "./errors.ts";
import { decodeRow, type RowCodec, rowCodec } from "./row-codec.ts";

/** A state that stays readable. */
export interface Transaction {
  done(): void;
}

/** What reading needs of lmdb's database. The package's own types would be part of Firn's, and not all compilers take them. */
export interface Entries {
  get(key: Uint8Array, options: { readonly transaction?: Transaction }): Uint8Array | undefined;
  /** in memory that the next read uses again */
  getBinaryFast(key: Uint8Array, options: { readonly transaction?: Transaction }): Uint8Array | undefined;
  getRange(options: object): Iterable<Stored>;
}

/** Below all keys that Firn writes. */
export const LOWEST_KEY = Buffer.from([0]);

/** Reads one row of the state that a write transaction sees. */
export type SyncReader = <T extends Table>(table: T, key: TableKey<T>) => TableValue<T> | undefined;

export class LmdbReader implements StoreReader {
  readonly #entries: Entries;
  readonly #options: { transaction?: Transaction };
  readonly #directory: string;

  /** Without a transaction, every read sees the newest committed state. */
  constructor(entries: Entries, transaction: Transaction | undefined, directory: string) {
    this.#entries = entries;
    this.#directory = directory;
    this.#options = transaction === undefined ? {} : { transaction };
  }

  get<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.read(table, key);
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): (TableValue<T> | undefined)[] {
    return keys.map((key) => this.read(table, key));
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): (Uint8Array | undefined)[] {
    const codec = rowCodec(table);
    return cutParts(column, parts, (key) => this.#decoded<T>(codec, this.passingEntry(codec.keyView(key))));
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Row<T>[] {
    if (!(range.limit >= 0)) throw new RangeError(`a scan of ${table.name} has limit ${range.limit}; it needs a number from 0 on`);
    const codec = rowCodec(table);
    const bounds = byteRange(codec, range);
    if (bounds === undefined || range.limit === 0) return [];
    return this.#rows<T>(codec, bounds, range);
  }

  read<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    const codec = rowCodec(table);
    return this.#decoded(codec, this.entry(codec.keyView(key)));
  }

  #decoded<T extends Table>(codec: RowCodec, stored: Uint8Array | undefined): TableValue<T> | undefined {
    try {
      return stored === undefined ? undefined : (codec.decodeValue(stored) as TableValue<T>);
    } catch (error) {
      throw storeError(error, this.#directory);
    }
  }

  /** The value as it is stored, under an encoded key. */
  entry(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#entries.get(key, this.#options);
    } catch (error) {
      throw storeError(error, this.#directory);
    }
  }

  /** The same, valid until the next read. */
  passingEntry(key: Uint8Array): Uint8Array | undefined {
    try {
      const stored = this.#entries.getBinaryFast(key, this.#options);
      // its memory is longer than the value
      return stored && new Uint8Array(stored.buffer, stored.byteOffset, stored.length);
    } catch (error) {
      throw storeError(error, this.#directory);
    }
  }

  /** Entries as they are stored; what is not read costs nothing. Without bounds all of them, ascending. */
  entriesIn(bounds?: ByteRange, options: { readonly reverse?: boolean | undefined; readonly limit?: number } = {}): Iterable<Stored> {
    const { reverse, limit } = options;
    const { low, high } = bounds ?? { low: LOWEST_KEY, high: undefined };
    const { transaction } = this.#options;
    const range = reverse
      ? { reverse, start: high, exclusiveStart: true, end: low, inclusiveEnd: true, limit, transaction }
      : { start: low, end: high, limit, transaction };
    return this.#entries.getRange(range);
  }

  #rows<T extends Table>(codec: RowCodec, bounds: ByteRange, { reverse, limit, maxBytes = Infinity }: ScanRange<T>): Row<T>[] {
    const rows: Row<T>[] = [];
    let bytes = 0;
    try {
      for (const { key, value } of this.entriesIn(bounds, { reverse, limit })) {
        rows.push(decodeRow<T>(codec, key, value));
        bytes += value.length;
        if (bytes >= maxBytes) break;
      }
    } catch (error) {
      throw storeError(error, this.#directory);
    }
    return rows;
  }
}

export interface Stored {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

// Turns a scan's prefix and bounds into one half-open range of encoded keys, for both directions.

/** `low` is inclusive, `high` is exclusive. */
export interface ByteRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

/** undefined if the range is empty. Bounds name columns after the prefix; the prefix counts where both name one. */
export function byteRange<T extends Table>(codec: RowCodec, range: ScanRange<T>): ByteRange | undefined {
  const { prefix = {}, from, after, until, reverse } = range;
  // In scan direction `from` includes the rows under it, while `after` and `until` exclude theirs, at the start and at the end.
  const low = reverse
    ? until && codec.above(prefix, until)
    : later(1, from && codec.lowest(prefix, from), after && codec.above(prefix, after));
  const high = reverse
    ? later(-1, from && codec.above(prefix, from), after && codec.lowest(prefix, after))
    : until && codec.lowest(prefix, until);
  const bounds = { low: low ?? codec.lowest(prefix), high: high ?? codec.above(prefix) };
  return Buffer.compare(bounds.low, bounds.high) < 0 ? bounds : undefined;
}

/** The one of two starts that comes later in the direction of the scan. */
function later(direction: 1 | -1, from: Buffer | undefined, after: Buffer | undefined): Buffer | undefined {
  if (from === undefined || after === undefined) return from ?? after;
  return Buffer.compare(from, after) === direction ? from : after;
}
