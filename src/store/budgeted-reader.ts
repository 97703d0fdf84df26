/**
 * A store reader for one request: counts rows and their bytes, and splits long reads into pieces between which the request can lose its
 * turn. A backend may read synchronously, so awaiting it alone would not let others run.
 */
import { memorySize } from "../base/collections/bounded-cache.ts";
import type { Limits } from "../base/limits.ts";
import type { Row, Table, TableKey, TableValue } from "../base/table/table.ts";
import { type Awaitable, andThen } from "../base/work/awaitable.ts";
import { LimitError, unlessEnded, type Work } from "../base/work/work.ts";
import { type Column, type PartOf, rowsAtOnce, type ScanRange, type StoreReader } from "./store.ts";

/** Estimates the size of a table's rows from their variable-length columns. */
class RowSizer {
  /** columns of variable length */
  readonly #columns: readonly string[];
  /** Estimated size in bytes of the largest recent rows; rows of a new table are assumed to be large. */
  typicalBytes: number;

  constructor(table: Table) {
    const columns = Object.entries(table.value).filter(([, { column }]) => !FIXED.has(column?.kind ?? "structure"));
    this.#columns = columns.map(([name]) => name);
    this.typicalBytes = this.#columns.length === 0 ? SMALL : LARGE;
  }

  /** Size of a row's value in bytes. */
  bytesOf(value: object): number {
    if (this.#columns.length === 0) return SMALL;
    let bytes = SMALL;
    for (const column of this.#columns) {
      const content = (value as Record<string, unknown>)[column];
      bytes += content instanceof Uint8Array ? content.byteLength : memorySize(content);
    }
    this.typicalBytes = bytes > this.typicalBytes ? bytes : this.typicalBytes - (this.typicalBytes - bytes) / FORGETTING;
    return bytes;
  }
}

const FIXED: ReadonlySet<string> = new Set(["u8", "u16", "u32", "u64", "bool", "hex"]);
/** estimate for the fixed-length columns */
const SMALL = 32;
const LARGE = 2 ** 16;
/** number of rows after which a large one has little influence */
const FORGETTING = 64;

const sizers = new WeakMap<Table, RowSizer>();

function rowSizer(table: Table): RowSizer {
  let sizer = sizers.get(table);
  if (sizer === undefined) {
    sizer = new RowSizer(table);
    sizers.set(table, sizer);
  }
  return sizer;
}

/** Rows per piece, which take less than a millisecond, if reads block the thread. */
const PIECE = 128;
/** Bytes per piece, estimated from earlier rows. */
const PIECE_BYTES = 2 ** 20;

/** Rows for each part of a long value that is read with it: a backend may copy the whole values, of up to 256 KiB. */
const ROWS_PER_PART = 8;
/** memory that a part takes besides its bytes */
const PART_BYTES = 128;

export type ReadLimits = Pick<Limits, "requestRows" | "requestBytes">;

export class BudgetedReader implements StoreReader {
  readonly #reader: StoreReader;
  readonly #work: Work;
  readonly #limits: ReadLimits;
  readonly isRemote: boolean;
  readonly #piece: number;
  #rows = 0;
  #bytes = 0;

  /** @param limits of the request; a read that finds no row counts as one */
  constructor(reader: StoreReader, work: Work, limits: ReadLimits) {
    this.#reader = reader;
    this.#work = work;
    this.#limits = limits;
    this.isRemote = reader.isRemote ?? false;
    this.#piece = rowsAtOnce(reader, PIECE);
  }

  get<T extends Table>(table: T, key: TableKey<T>): Awaitable<TableValue<T> | undefined> {
    this.#rows++;
    return andThen(
      this.#inTurn(() => this.#reader.get(table, key)),
      (value) => {
        this.#hold(rowSizer(table), [value]);
        return value;
      },
    );
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Awaitable<(TableValue<T> | undefined)[]> {
    return keys.length <= this.#rowsOf(rowSizer(table)) ? this.#getPiece(table, keys) : this.#getPieces(table, keys);
  }

  #getPiece<T extends Table>(table: T, keys: readonly TableKey<T>[]): Awaitable<(TableValue<T> | undefined)[]> {
    this.#rows += keys.length;
    return andThen(
      this.#inTurn(() => this.#reader.getMany(table, keys)),
      (values) => {
        this.#hold(rowSizer(table), values);
        return values;
      },
    );
  }

  async #getPieces<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    const all: (TableValue<T> | undefined)[] = [];
    for (let at = 0, piece = 0; at < keys.length; at += piece) {
      piece = this.#rowsOf(rowSizer(table));
      for (const value of await this.#getPiece(table, keys.slice(at, at + piece))) all.push(value);
    }
    return all;
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Awaitable<(Uint8Array | undefined)[]> {
    const piece = Math.ceil(this.#piece / ROWS_PER_PART);
    return parts.length <= piece ? this.#partsPiece(table, column, parts) : this.#partsPieces(table, column, { parts, piece });
  }

  #partsPiece<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Awaitable<(Uint8Array | undefined)[]> {
    this.#rows += parts.length;
    return andThen(
      this.#inTurn(() => this.#reader.getParts(table, column, parts)),
      (found) => {
        this.#holdBytes(found.reduce((bytes, part) => bytes + PART_BYTES + (part?.length ?? 0), 0));
        return found;
      },
    );
  }

  async #partsPieces<T extends Table>(
    table: T,
    column: Column<T>,
    { parts, piece }: { readonly parts: readonly PartOf<T>[]; readonly piece: number },
  ): Promise<(Uint8Array | undefined)[]> {
    const all: (Uint8Array | undefined)[] = [];
    for (let at = 0; at < parts.length; at += piece) all.push(...(await this.#partsPiece(table, column, parts.slice(at, at + piece))));
    return all;
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Awaitable<Row<T>[]> {
    // a range without rows counts as one read
    this.#rows++;
    return range.limit <= this.#rowsOf(rowSizer(table)) ? this.#scanPiece(table, range) : this.#scanPieces(table, range);
  }

  #scanPiece<T extends Table>(table: T, range: ScanRange<T>): Awaitable<Row<T>[]> {
    return andThen(
      this.#inTurn(() => this.#reader.scan(table, range)),
      (rows) => {
        const sizer = rowSizer(table);
        this.#rows += rows.length;
        let bytes = 0;
        for (const { value } of rows) bytes += sizer.bytesOf(value);
        this.#holdBytes(bytes);
        return rows;
      },
    );
  }

  async #scanPieces<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    const all: Row<T>[] = [];
    for (let next = range; ; ) {
      const piece = this.#rowsOf(rowSizer(table));
      const rows = await this.#scanPiece(table, next.limit > piece ? { ...next, limit: piece } : next);
      const isLast = rows.length < piece || next.limit <= piece;
      if (isLast && all.length === 0) return rows;
      for (const row of rows) all.push(row);
      if (isLast) return all;
      next = { ...range, after: rows[piece - 1]!.key, limit: next.limit - piece };
    }
  }

  /** Reads at once if the request has its turn. */
  #inTurn<R>(read: () => Awaitable<R>): Awaitable<R> {
    const pause = this.#pause();
    return pause === undefined ? answerIn(this.#reader, read(), this.#work) : this.#inLaterTurn(pause, read);
  }

  async #inLaterTurn<R>(pause: Promise<void>, read: () => Awaitable<R>): Promise<R> {
    // each of several concurrent reads checks again whether the turn is over
    for (let next: Promise<void> | undefined = pause; next !== undefined; next = this.#pause()) await next;
    return answerIn(this.#reader, read(), this.#work);
  }

  /** Rows per piece. */
  #rowsOf({ typicalBytes }: RowSizer): number {
    return Math.max(1, Math.min(this.#piece, Math.floor(PIECE_BYTES / typicalBytes)));
  }

  /** Throws if there is no room for them. */
  #hold(sizer: RowSizer, values: readonly (object | undefined)[]): void {
    let bytes = 0;
    for (const value of values) if (value !== undefined) bytes += sizer.bytesOf(value);
    this.#holdBytes(bytes);
  }

  #holdBytes(bytes: number): void {
    this.#bytes += bytes;
    this.#work.hold(bytes);
  }

  /** Returns a promise if the request must wait for its next turn, or one that rejects if it may not read more. */
  #pause(): Promise<void> | undefined {
    const { requestRows, requestBytes } = this.#limits;
    if (this.#rows > requestRows) return overLimit("requestRows", `more than ${requestRows} rows`, "fewer addresses");
    if (this.#bytes > requestBytes) {
      return overLimit("requestBytes", `rows of more than ${requestBytes} bytes`, "fewer addresses or smaller pages");
    }
    return this.#work.turn();
  }
}

/** A read of `reader` for `work`. Another process is not waited for after the work's end: between two pieces would be too late. */
export function answerIn<T>(reader: StoreReader, read: T | Promise<T>, work: Work): T | Promise<T> {
  return reader.isRemote && read instanceof Promise ? unlessEnded(read, work) : read;
}

function overLimit(limit: keyof ReadLimits, needed: string, instead: string): Promise<never> {
  const message = `the answer needs ${needed}, which is all that one request may read; ask for less at a time, such as ${instead}`;
  return Promise.reject(new LimitError(limit, message));
}
