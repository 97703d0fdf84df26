/**
 * Implements the store's contract on LMDB: all tables in one database with binary keys, in one file that many processes read and one
 * writes.
 *
 * Reads are synchronous memory-mapped lookups behind the contract's async interface. A commit is one LMDB transaction that is flushed to
 * disk before it returns: after a kill or a power cut the file holds the last commit that returned, or the complete one that was in
 * progress, never a part.
 */
import { statfs } from "node:fs/promises";
import type { RootDatabase } from "lmdb";
import type { Change, Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { type EncodedRows, encodeRows, REMOVED, rowBytes, rowCount } from "../encoded-rows.ts";
import type { Column, PartOf, ScanRange, Store, StoreReader } from "../store.ts";
import { diskFull, freeBytes, limitReached, storeError } from "./errors.ts";
import { checkBeforeOpening, checkPages, newestState } from "./file-check.ts";
import { byteRange, LmdbReader, LOWEST_KEY, type SyncReader, type Transaction } from "./lmdb-reader.ts";
import { openFile } from "./open-file.ts";
import { ADDRESS_SPACE_BYTES, type MetaPage, PAGE_BYTES } from "./page-file.ts";
import { rowCodec } from "./row-codec.ts";

// Hands encoded rows to LMDB.

/**
 * LMDB takes a value as the part of a larger buffer between these two positions, which it reads when it is given the value. It keeps the
 * buffer until it has written the value.
 */
type PartOfBuffer = Uint8Array & { start: number; end: number };

/** a reusable buffer per key length: LMDB copies a key when it is given one */
const keys = new Map<number, Buffer>();

/** Calls back in order. The arguments are valid only during the call. @param isMarked whether values are written with their marks */
function writeRows(
  { bytes, start, ends }: EncodedRows,
  isMarked: boolean,
  put: (key: Buffer, value: Uint8Array) => void,
  remove: (key: Buffer) => void,
): void {
  const part: PartOfBuffer = Object.assign(bytes.subarray(), { start: 0, end: 0 });
  // LMDB counts from the start of the memory block
  const valueOffset = bytes.byteOffset + (isMarked ? 0 : 1);
  let at = start;
  for (let row = 0; row < ends.length; row += 2) {
    const keyEnd = ends[row]!;
    const valueEnd = ends[row + 1]!;
    const key = keyOf(bytes, at, keyEnd);
    at = keyEnd;
    if (valueEnd === REMOVED) {
      remove(key);
      continue;
    }
    part.start = valueOffset + keyEnd;
    part.end = bytes.byteOffset + valueEnd;
    put(key, part);
    at = valueEnd;
  }
}

function keyOf(bytes: Uint8Array, from: number, to: number): Buffer {
  const length = to - from;
  let key = keys.get(length);
  if (key === undefined) {
    key = Buffer.allocUnsafeSlow(length);
    keys.set(length, key);
  }
  for (let at = 0; at < length; at++) key[at] = bytes[from + at]!;
  return key;
}

interface LmdbOptions {
  directory: string;
  isReadOnly: boolean;
  /** A larger file accepts no more commits. */
  maxBytes?: number;
  /** Commits are not flushed to disk: they survive the process, but not a power cut. */
  isTemporary?: boolean;
  /** An empty data file counts as a new store: the process that created it may have ended before it wrote anything. */
  mayBeEmpty?: boolean;
  /** see {@link OpenFileOptions} */
  isScattered?: boolean;
}

/** for branches and free pages that a commit writes beside the pages of its rows */
const SPARE_BYTES = 64 * 1024;
/** A larger commit may find the disk full while it writes. */
const MOST_BYTES_REQUIRED = 64 * 1024 * 1024;
const LARGEST_TABLE_ID = 1023;
/** Smaller rows may stay in memory after a commit. */
const KEPT_BYTES = 256 * 1024;

/** How a file keeps that rows of older files were removed. */
export interface KeptRemovals {
  /** of an entry that stands for the removal */
  readonly value: Uint8Array;
  /** whether an older file may have a row with this key */
  mayBeBelow(key: Uint8Array): boolean;
}

export class LmdbStore implements Store {
  readonly #options: LmdbOptions;
  #entries: RootDatabase<Uint8Array, Uint8Array>;
  #directory: string;
  readonly #maxBytes: number;
  #latest: LmdbReader;
  #giveBackLease: (() => readonly Change[]) | undefined;
  /** of the last commit, and the room on the disk then */
  #failure: { readonly error: unknown; readonly freeBytes: number } | undefined;

  constructor(options: LmdbOptions) {
    this.#options = options;
    this.#directory = options.directory;
    this.#maxBytes = options.maxBytes ?? ADDRESS_SPACE_BYTES;
    checkBeforeOpening(options.directory, { isReadOnly: options.isReadOnly, mayBeEmpty: options.mayBeEmpty ?? false });
    this.#entries = openFile(options.directory, options);
    this.#latest = new LmdbReader(this.#entries, undefined, options.directory);
  }

  /**
   * Closes the file and opens it again, which gives back the memory that LMDB keeps of pages that were written. Nobody may read or write
   * meanwhile, or hold a reader.
   */
  async reopen(): Promise<void> {
    await this.#entries.close();
    this.#entries = openFile(this.#directory, { ...this.#options, isScattered: true });
    this.#latest = new LmdbReader(this.#entries, undefined, this.#directory);
  }

  /** Checks the pages of the newest committed state, so that missing or damaged ones are reported before LMDB uses them. */
  async checkPages(): Promise<void> {
    await this.#pinned(() => checkPages(this.#directory));
  }

  get<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.#latest.get(table, key);
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): (TableValue<T> | undefined)[] {
    return this.#latest.getMany(table, keys);
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): (Uint8Array | undefined)[] {
    return this.#latest.getParts(table, column, parts);
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Row<T>[] {
    return this.#latest.scan(table, range);
  }

  /** One of LMDB's threads writes while this thread continues. Readers see no change before all changes are on disk. */
  async commit(changes: readonly Change[], encoded: readonly EncodedRows[] = []): Promise<void> {
    // encode all rows before the first is passed on, so that one that cannot be encoded leaves nothing behind
    await this.commitEncoded([encodeRows(changes), ...encoded]);
  }

  /** @param removals given for a file whose values are marked */
  async commitEncoded(parts: readonly EncodedRows[], removals?: KeptRemovals): Promise<void> {
    this.#checkLimit();
    this.#requireRoom(sum(parts, rowCount), sum(parts, rowBytes));
    const put = (key: Uint8Array, value: Uint8Array) => this.#entries.put(key, value);
    const remove = (key: Uint8Array) => (removals?.mayBeBelow(key) ? put(key, removals.value) : this.#entries.remove(key));
    try {
      await this.#entries.batch(() => {
        for (const part of parts) writeRows(part, removals !== undefined, put, remove);
      });
      // lmdb 3.5.6 keeps the last value's buffer, here that of all rows, until something else is queued: for good in a file that is not written again
      if (sum(parts, rowBytes) >= KEPT_BYTES) await this.#entries.batch(() => {});
    } catch (error) {
      this.#failure = { error: storeError(await reasonOf(error), this.#directory), freeBytes: freeBytes(this.#directory) };
      throw this.#failure.error;
    }
  }

  /**
   * Refuses a commit that the disk may not have room for, and all of them after a write failed until the disk has more room. lmdb 3.5.6
   * puts its report of a failed write into a piece of memory that can be too short for it, so LMDB should not find the disk full itself.
   */
  #requireRoom(rows: number, bytes: number): void {
    const free = freeBytes(this.#directory);
    if (this.#failure !== undefined && free < this.#failure.freeBytes + SPARE_BYTES) throw this.#failure.error;
    this.#failure = undefined;
    // A row copies a page, but no more pages than there are; new ones may be half full
    const needed = Math.min(Math.min(rows * PAGE_BYTES, this.usedBytes) + 2 * bytes, MOST_BYTES_REQUIRED) + SPARE_BYTES;
    if (free < needed) throw diskFull(this.#directory, free, needed);
  }

  /** Decides on the changes inside the write transaction, so that no other process can write between the read and the write. */
  transact(decide: (reader: SyncReader) => readonly Change[]): void {
    this.#checkLimit();
    try {
      this.#entries.transactionSync(() => {
        this.#write(decide((table, key) => this.#latest.read(table, key)));
      });
    } catch (error) {
      throw storeError(error, this.#directory);
    }
  }

  /** Writes entries as they are, and rows, in one transaction. An entry without a value is removed. */
  putEntries(entries: Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array | undefined }>, changes: readonly Change[]): void {
    try {
      this.#entries.transactionSync(() => {
        for (const { key, value } of entries) {
          if (value === undefined) this.#entries.removeSync(key);
          else this.#entries.putSync(key, value);
        }
        this.#write(changes);
      });
    } catch (error) {
      throw storeError(error, this.#directory);
    }
  }

  /** inside a write transaction */
  #write(changes: readonly Change[]): void {
    for (const { table, key, value } of changes) {
      const codec = rowCodec(table);
      const encodedKey = codec.encodeKey(key);
      if (value === undefined) this.#entries.removeSync(encodedKey);
      else this.#entries.putSync(encodedKey, codec.encodeValue(value));
    }
  }

  /** Commits `take` now, and `giveBack` when the store is closed. */
  lease(take: (reader: SyncReader) => readonly Change[], giveBack: () => readonly Change[]): void {
    this.transact(take);
    this.#giveBackLease = giveBack;
  }

  snapshot<R>(read: (reader: StoreReader) => Promise<R>): Promise<R> {
    return this.#pinned((transaction) => read(new LmdbReader(this.#entries, transaction, this.#directory)));
  }

  /** Reads the newest committed state at each call. */
  get latest(): LmdbReader {
    return this.#latest;
  }

  /** A reader of the newest committed state, unaffected by later commits until it is let go. */
  pin(): { readonly reader: LmdbReader; release(): void } {
    const transaction = this.#entries.useReadTransaction();
    return { reader: new LmdbReader(this.#entries, transaction, this.#directory), release: () => transaction.done() };
  }

  /** The open files were moved into another directory. */
  movedTo(directory: string): void {
    this.#directory = directory;
    this.#latest = new LmdbReader(this.#entries, undefined, directory);
  }

  /** Pins the newest committed state, both as rows and as its meta page. Later commits change neither. */
  async pinNewest<R>(use: (reader: StoreReader, state: MetaPage) => Promise<R>): Promise<R> {
    for (;;) {
      const before = newestState(this.#directory);
      this.#entries.resetReadTxn();
      const transaction = this.#entries.useReadTransaction();
      try {
        const state = newestState(this.#directory);
        // otherwise the transaction may read either of the two states
        if (state.transaction === before.transaction) return await use(new LmdbReader(this.#entries, transaction, this.#directory), state);
      } finally {
        transaction.done();
      }
    }
  }

  /** While a transaction reads a state, no page of that state or a newer one is overwritten. */
  async #pinned<R>(use: (transaction: Transaction) => R | Promise<R>): Promise<R> {
    const transaction = this.#entries.useReadTransaction();
    try {
      return await use(transaction);
    } finally {
      transaction.done();
    }
  }

  /**
   * Whether the first and last keys start like those of tables. Keys of other programs are mostly text, whose first bytes are above all
   * table IDs.
   */
  holdsTables(): boolean {
    const ends = [...this.#entries.getKeys({ start: LOWEST_KEY, limit: 1 }), ...this.#entries.getKeys({ reverse: true, limit: 1 })];
    return ends.every((key) => key.length > 2 && Buffer.from(key).readUInt16BE() <= LARGEST_TABLE_ID);
  }

  async clear(table: Table): Promise<void> {
    const range = byteRange(rowCodec(table), { limit: 1 })!;
    try {
      this.#entries.transactionSync(() => {
        for (const key of this.#entries.getKeys({ start: range.low, end: range.high })) this.#entries.removeSync(key);
      });
    } catch (error) {
      throw storeError(error, this.#directory);
    }
  }

  /** Whether another process of this machine has the store open. */
  get hasOtherReaders(): boolean {
    const [, ...lines] = this.#entries.readerList().trim().split("\n");
    return lines.some((line) => Number.parseInt(line, 10) !== process.pid);
  }

  async availableBytes(): Promise<bigint> {
    const disk = await statfs(this.#directory, { bigint: true });
    const onDisk = disk.bavail * disk.bsize;
    const toLimit = BigInt(Math.max(0, this.#maxBytes - this.usedBytes));
    return onDisk < toLimit ? onDisk : toLimit;
  }

  /** Copies the newest committed state into another existing directory, without the lease. */
  async copyTo(directory: string): Promise<void> {
    try {
      await this.#entries.backup(directory, true);
    } catch (error) {
      throw storeError(error, directory);
    }
    const copy = new LmdbStore({ directory, isReadOnly: false });
    try {
      if (this.#giveBackLease) copy.transact(this.#giveBackLease);
    } finally {
      await copy.close();
    }
  }

  #checkLimit(): void {
    if (this.usedBytes > this.#maxBytes) throw limitReached(this.#directory, this.#maxBytes);
  }

  /** of the file */
  get usedBytes(): number {
    return ((this.#entries.getStats() as { lastPageNumber: number }).lastPageNumber + 1) * PAGE_BYTES;
  }

  async close(): Promise<void> {
    try {
      if (this.#giveBackLease) this.transact(this.#giveBackLease);
    } finally {
      this.#giveBackLease = undefined;
      await this.#entries.close();
    }
  }
}

function sum(parts: readonly EncodedRows[], of: (part: EncodedRows) => number): number {
  return parts.reduce((total, part) => total + of(part), 0);
}

/** LMDB's thread reports the cause of a failed commit in a promise attached to its error. */
async function reasonOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<never> }).commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
