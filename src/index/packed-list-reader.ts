/** Reads packed lists (`packed-list.ts`): what is last comes from their own rows, and what comes before from their parts. */
import type { Row, Table, TableKey } from "../base/table/table.ts";
import type { ScanRange, StoreReader } from "../store/store.ts";
import { asBuffer, comparePlaces, countBefore, type PackedFormat, type PackedRow } from "./packed-list.ts";

/** A list, which the first columns of its parts' keys name. */
export interface StoredList {
  readonly list: object;
  readonly row: PackedRow;
}

type Accepts = (packed: Buffer, index: number) => boolean;

interface PageRange {
  /** start after this place */
  readonly after?: Buffer | undefined;
  /** start at this place, inclusive */
  readonly from?: Buffer | undefined;
  /** stop before the first entry that it holds for */
  readonly isBeyond?: Accepts | undefined;
  readonly reverse: boolean;
  readonly limit: number;
}

/**
 * Calls `take` with the entries of a list that are accepted, in order or in reverse, and reads no more parts than that needs.
 * @param kinds how many kinds of parts have accepted entries. A part of these kinds has at least one
 */
export async function readPage(
  reader: StoreReader,
  format: PackedFormat,
  stored: StoredList,
  range: PageRange & { readonly kinds: number; readonly accepts: Accepts },
  take: (packed: Buffer, index: number) => void,
): Promise<void> {
  await new Page(reader, format, range, take).read(stored);
}

type Part = Row<Table>;

function packedOf({ value }: Part): Buffer {
  return asBuffer((value as { packed: Uint8Array }).packed);
}

class Page {
  readonly #reader: StoreReader;
  readonly #format: PackedFormat;
  readonly #range: Parameters<typeof readPage>[3];
  readonly #put: (packed: Buffer, index: number) => void;
  readonly #start: Buffer | undefined;
  #room: number;

  constructor(reader: StoreReader, format: PackedFormat, range: Parameters<typeof readPage>[3], take: Parameters<typeof readPage>[4]) {
    this.#reader = reader;
    this.#format = format;
    this.#range = range;
    this.#put = take;
    this.#start = range.after ?? range.from;
    this.#room = range.limit;
  }

  async read({ list, row: { hasParts, last } }: StoredList): Promise<void> {
    const own = asBuffer(last);
    const { reverse } = this.#range;
    if (reverse) this.#take(own);
    // what comes after a place in the own row is there too
    const isPast = !reverse && this.#start !== undefined && own.length > 0 && comparePlaces(this.#format, this.#start, own, 0) >= 0;
    if (hasParts && !isPast && this.#room > 0) await this.#readParts(list);
    if (!reverse) this.#take(own);
  }

  async #readParts(list: object): Promise<void> {
    const kinds = this.#format.kinds.slice(0, this.#range.kinds);
    const cursors = await Promise.all(kinds.map((kind) => this.#open({ ...list, ...kind })));
    for (;;) {
      let next: PartCursor | undefined;
      for (const cursor of cursors) {
        await cursor.fill();
        if (cursor.part !== undefined && (next === undefined || this.#precedes(cursor.part, next.part!))) next = cursor;
      }
      if (next === undefined) return;
      this.#take(packedOf(next.part!));
      if (this.#room === 0) return;
      next.part = undefined;
    }
  }

  #precedes(a: Part, b: Part): boolean {
    const order = comparePlaces(this.#format, packedOf(a), packedOf(b), 0);
    return this.#range.reverse ? order > 0 : order < 0;
  }

  /** The first part may begin before the place. */
  async #open(prefix: object): Promise<PartCursor> {
    const { table, placeOf, part } = this.#format;
    const most = Math.ceil(this.#room / part) + 1;
    const { reverse } = this.#range;
    const make = (from?: object) =>
      new PartCursor(this.#reader, this.#format, { prefix: prefix as never, reverse, ...(from && { from: from as never }) }, most);
    if (this.#start === undefined) return make();
    const from = placeOf(this.#start, 0);
    if (reverse) return make(from);
    const [first] = await this.#reader.scan(table, { prefix: prefix as never, from: from as never, reverse: true, limit: 1 });
    return make(first === undefined ? from : placeOf(packedOf(first), 0));
  }

  /** Takes what comes after the start, as much as the page has room for. */
  #take(packed: Buffer): void {
    const { reverse, after } = this.#range;
    const count = packed.length / this.#format.entryBytes;
    const before = this.#start === undefined ? (reverse ? count : 0) : countBefore(this.#format, this.#start, packed);
    const isAtStart = this.#start !== undefined && before < count && comparePlaces(this.#format, this.#start, packed, before) === 0;
    if (reverse)
      for (let i = isAtStart && after === undefined ? before : before - 1; i >= 0 && this.#room > 0; i--) this.#takeAt(packed, i);
    else for (let i = isAtStart && after !== undefined ? before + 1 : before; i < count && this.#room > 0; i++) this.#takeAt(packed, i);
  }

  #takeAt(packed: Buffer, index: number): void {
    if (this.#range.isBeyond?.(packed, index)) this.#room = 0;
    else if (this.#range.accepts(packed, index)) {
      this.#put(packed, index);
      this.#room--;
    }
  }
}

/** Parts in order, read a few at a time. */
class PartCursor {
  part: Part | undefined;
  #parts: Part[] = [];
  #isAtEnd = false;
  readonly #reader: StoreReader;
  readonly #format: PackedFormat;
  #range: Omit<ScanRange<Table>, "limit">;
  #limit: number;

  constructor(reader: StoreReader, format: PackedFormat, range: Omit<ScanRange<Table>, "limit">, limit: number) {
    this.#reader = reader;
    this.#format = format;
    this.#range = range;
    this.#limit = limit;
  }

  /** Reads on if that is needed to know the next part. */
  async fill(): Promise<void> {
    if (this.part !== undefined) return;
    if (this.#parts.length === 0 && !this.#isAtEnd) {
      this.#parts = await this.#reader.scan(this.#format.table, { ...this.#range, limit: this.#limit });
      this.#isAtEnd = this.#parts.length < this.#limit;
      const last = this.#parts.at(-1);
      const { prefix, reverse } = this.#range;
      this.#range = { prefix, reverse, ...(last && { after: this.#format.placeOf(packedOf(last), 0) as Partial<TableKey<Table>> }) };
      // entries that are not accepted leave gaps
      this.#limit *= 2;
    }
    this.part = this.#parts.shift();
  }
}
