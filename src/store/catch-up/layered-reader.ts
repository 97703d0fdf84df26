/** Reads rows of several layers as if they were one file: the newest layer that has a row, or the mark of its removal, decides. */
import type { Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { storeError } from "../lmdb/errors.ts";
import { type ByteRange, byteRange, type LmdbReader, type Stored } from "../lmdb/lmdb-reader.ts";
import { decodeRow, rowCodec } from "../lmdb/row-codec.ts";
import { type Column, cutParts, type PartOf, type ScanRange, type StoreReader } from "../store.ts";
import type { Layer } from "./layer.ts";
import { REMOVED } from "./marks.ts";

export interface LayerView {
  readonly layer: Layer;
  readonly reader: LmdbReader;
}

export class LayeredReader implements StoreReader {
  readonly #views: () => readonly LayerView[];
  readonly #directory: string;

  /** @param views the newest first; asked for each read */
  constructor(views: () => readonly LayerView[], directory: string) {
    this.#views = views;
    this.#directory = directory;
  }

  get<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.#read(table, key);
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): (TableValue<T> | undefined)[] {
    return keys.map((key) => this.#read(table, key));
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): (Uint8Array | undefined)[] {
    return cutParts(column, parts, (key) => this.#read(table, key));
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Row<T>[] {
    if (!(range.limit >= 0)) throw new RangeError(`a scan of ${table.name} has limit ${range.limit}; it needs a number from 0 on`);
    const codec = rowCodec(table);
    const bounds = byteRange(codec, range);
    const rows: Row<T>[] = [];
    if (bounds === undefined || range.limit === 0) return rows;
    let bytes = 0;
    try {
      for (const { key, value } of mergedEntries(this.#views(), bounds, range.reverse ?? false)) {
        bytes += value.length;
        if (rows.push(decodeRow<T>(codec, key, value)) === range.limit || bytes >= (range.maxBytes ?? Infinity)) break;
      }
    } catch (error) {
      throw storeError(error, this.#directory);
    }
    return rows;
  }

  #read<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    const codec = rowCodec(table);
    const encoded = codec.encodeKey(key);
    for (const { layer, reader } of this.#views()) {
      if (!layer.mayHave(encoded)) continue;
      const stored = reader.entry(encoded);
      if (stored === undefined) continue;
      if (layer.isMarked && stored[0] === REMOVED) return undefined;
      try {
        return codec.decodeValue(layer.isMarked ? stored.subarray(1) : stored) as TableValue<T>;
      } catch (error) {
        throw storeError(error, this.#directory);
      }
    }
    return undefined;
  }
}

/** One layer's entries in a range, at the next one. */
class Cursor {
  readonly isMarked: boolean;
  readonly #entries: Iterator<Stored>;
  current: Stored | undefined;

  constructor({ layer, reader }: LayerView, bounds: ByteRange, reverse: boolean) {
    this.isMarked = layer.isMarked;
    this.#entries = reader.entriesIn(bounds, { reverse })[Symbol.iterator]();
    this.advance();
  }

  advance(): void {
    const { done, value } = this.#entries.next();
    this.current = done ? undefined : value;
  }

  end(): void {
    this.#entries.return?.();
  }
}

/** Entries without marks, in the order of the scan. */
function* mergedEntries(views: readonly LayerView[], bounds: ByteRange, reverse: boolean): Generator<Stored> {
  const cursors: Cursor[] = [];
  try {
    for (const view of views) cursors.push(new Cursor(view, bounds, reverse));
    for (;;) {
      let first: Cursor | undefined;
      for (const cursor of cursors) {
        if (cursor.current === undefined) continue;
        const order = first === undefined ? -1 : Buffer.compare(cursor.current.key, first.current!.key);
        // the older ones of the same key are hidden
        if (order === 0) cursor.advance();
        else if (order < 0 !== reverse || first === undefined) first = cursor;
      }
      if (first === undefined) return;
      const { key, value } = first.current!;
      first.advance();
      if (!first.isMarked) yield { key, value };
      else if (value[0] !== REMOVED) yield { key, value: value.subarray(1) };
    }
  } finally {
    for (const cursor of cursors) cursor.end();
  }
}
