/**
 * A list in order, as a run changes it, with few rows. Entries have one length, and begin with their place in the order. The list's own row
 * has the last ones. When it is full, it moves the first of them into a row of another table, a part, which is then only changed by
 * entries that change, or that come before what the own row has. So an append costs no row and no read; anything else at most one of each.
 *
 * Parts do not overlap, and all come before what the own row has. They depend on the order in which entries were added, and not on which of
 * them were committed together.
 */
import type { Row, Table, TableKey } from "../base/table/table.ts";
import type { View } from "../base/table/view.ts";
import type { ScanRange, StoreReader } from "../store/store.ts";

/** Rows that a range may have for each entry that it is read for: reading a row alone takes several times as long. */
const ROWS_PER_ENTRY = 2;

/** How lists of one kind are stored. */
export interface PackedFormat<T extends Table = Table> {
  /** The table of the parts. Its key: the list; columns that say what of it a part has; the place of the first entry. Value: `packed` */
  readonly table: T;
  readonly entryBytes: number;
  /** at the beginning of an entry */
  readonly placeBytes: number;
  /** entries in a list's own row at most; a part has no more. The row must stay below half a page: beyond, it would take pages of its own */
  readonly short: number;
  /** entries that move into a part at once; a part of more than `short` is split after as many */
  readonly part: number;
  /** the columns of the key between list and place, for each kind of part that there is */
  readonly kinds: readonly Partial<TableKey<T>>[];
  kindOf(packed: Buffer): Partial<TableKey<T>>;
  /** the last columns of the key */
  placeOf(packed: Buffer, index: number): Partial<TableKey<T>>;
  packPlace(place: Partial<TableKey<T>>): Buffer;
}

/** What the own row says of a list. */
export interface PackedRow {
  readonly hasParts: boolean;
  readonly last: Uint8Array;
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Compares the places of an entry and of the one at an index. */
export function comparePlaces({ entryBytes, placeBytes }: PackedFormat, entry: Buffer, packed: Buffer, index: number): number {
  const at = index * entryBytes;
  return entry.compare(packed, at, at + placeBytes, 0, placeBytes);
}

/** How many of the first `count` entries come before an entry. */
export function countBefore(format: PackedFormat, entry: Buffer, packed: Buffer, count = packed.length / format.entryBytes): number {
  // most come last
  if (count === 0 || comparePlaces(format, entry, packed, count - 1) > 0) return count;
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(format, entry, packed, middle) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One row. */
interface Part {
  packed: Buffer;
  /** the key of the row in the store */
  stored: TableKey<Table> | undefined;
  isChanged: boolean;
}

export class PackedList {
  readonly #format: PackedFormat;
  readonly #list: object;
  /** may have room for further entries. Until it changes, it is that of the row, which must not be changed */
  #last: Buffer;
  #lastCount: number;
  #isOwn = false;
  #hasParts: boolean;
  /** in order: those that were read, and those that are new */
  readonly #parts: Part[] = [];

  /** @param list the first columns of the parts' keys */
  constructor(format: PackedFormat, list: object, { hasParts, last }: PackedRow) {
    this.#format = format;
    this.#list = list;
    this.#last = asBuffer(last);
    this.#lastCount = last.length / format.entryBytes;
    this.#hasParts = hasParts;
  }

  get hasParts(): boolean {
    return this.#hasParts;
  }

  /** The entries of the own row. */
  get last(): Buffer {
    return this.#last.subarray(0, this.#lastCount * this.#format.entryBytes);
  }

  /** All entries in order, packed. The parts must have been read. */
  all(): Buffer {
    return Buffer.concat([...this.#parts.map(({ packed }) => packed), this.last]);
  }

  /**
   * Reads the parts that will be changed.
   * @param found places of entries that the list has, in parts of the first kind
   */
  async read(ranges: Ranges, added: Iterable<Buffer>, found: Iterable<Buffer> = []): Promise<void> {
    if (!this.#hasParts) return;
    await this.#readPartsOf(ranges, found, this.#format.kinds.slice(0, 1));
    await this.#readPartsOf(ranges, added, this.#format.kinds);
  }

  /** Reads all parts. @param limit of entries that the list has */
  async readAll(ranges: Ranges, limit: number): Promise<void> {
    if (!this.#hasParts) return;
    for (const row of await ranges.scan(this.#format.table, { prefix: this.#list as never, limit })) this.#know(row);
  }

  /** Returns false if the list has an entry of that place. */
  add(entry: Buffer): boolean {
    if (this.#isInParts(entry)) return this.#addToPart(entry);
    const { entryBytes, short } = this.#format;
    const index = countBefore(this.#format, entry, this.#last, this.#lastCount);
    if (index < this.#lastCount && comparePlaces(this.#format, entry, this.#last, index) === 0) return false;
    const at = index * entryBytes;
    this.#makeRoom();
    this.#last.copyWithin(at + entryBytes, at, this.#lastCount * entryBytes);
    entry.copy(this.#last, at);
    if (++this.#lastCount > short) this.#movePart();
    return true;
  }

  /** Changes an entry that the list has; `change` gets the entries among which it is, and its index. */
  change(entry: Buffer, change: (packed: Buffer, index: number) => void): void {
    const part = this.#isInParts(entry) ? this.#parts[this.#countPartsUpTo(entry) - 1] : undefined;
    if (part === undefined) this.#makeRoom();
    const packed = part?.packed ?? this.last;
    const index = countBefore(this.#format, entry, packed);
    if (index * this.#format.entryBytes === packed.length || comparePlaces(this.#format, entry, packed, index) !== 0) {
      throw new Error(`a list of ${this.#format.table.name} lacks the entry ${entry.toString("hex")}, which changes`);
    }
    change(packed, index);
    if (part !== undefined) part.isChanged = true;
  }

  /** For one entry more, at most one more than the own row has. Most lists stay small, so it grows with them. */
  #makeRoom(): void {
    const { entryBytes, short } = this.#format;
    if (this.#isOwn && this.#last.length > this.#lastCount * entryBytes) return;
    const room = Buffer.allocUnsafe(Math.min(short + 1, 2 * this.#lastCount + 2) * entryBytes);
    this.#last.copy(room, 0, 0, this.#lastCount * entryBytes);
    this.#last = room;
    this.#isOwn = true;
  }

  /** Writes the parts. */
  write(view: View): void {
    const { table, kindOf, placeOf } = this.#format;
    for (const { packed, stored, isChanged } of this.#parts) {
      if (!isChanged) continue;
      const key = { ...this.#list, ...kindOf(packed), ...placeOf(packed, 0) };
      // its place remains: what comes before is not added to it
      if (stored !== undefined && Object.entries(key).some(([column, value]) => (stored as Record<string, unknown>)[column] !== value)) {
        view.writeUnread(table, stored, undefined);
      }
      view.writeUnread(table, key, { packed });
    }
  }

  #isInParts(entry: Buffer): boolean {
    return this.#hasParts && comparePlaces(this.#format, entry, this.#last, 0) < 0;
  }

  /** Among the parts of each kind, the last ones that begin at or before each entry. */
  async #readPartsOf(ranges: Ranges, entries: Iterable<Buffer>, kinds: PackedFormat["kinds"]): Promise<void> {
    const late = [...entries].filter((entry) => this.#isInParts(entry)).sort((a, b) => comparePlaces(this.#format, a, b, 0));
    for (const kind of kinds) await this.#readPartsOfKind(ranges, late, { ...this.#list, ...kind });
  }

  /**
   * Entries of one time are next to each other, in any order: what comes after the first one is read as a range, as far as that is not more
   * than reading a part for each.
   */
  async #readPartsOfKind(ranges: Ranges, late: readonly Buffer[], prefix: object): Promise<void> {
    const { table, placeOf } = this.#format;
    const scan = (range: object) => ranges.scan(table, { prefix, ...range } as ScanRange<Table>);
    let room = ROWS_PER_ENTRY * late.length;
    for (let i = 0; i < late.length; i++) {
      const from = placeOf(late[i]!, 0);
      for (const row of await scan({ from, reverse: true, limit: 1 })) this.#know(row);
      if (room <= 0 || i + 2 >= late.length) continue;
      const rows = await scan({ after: from, until: placeOf(late.at(-1)!, 0), limit: room });
      for (const row of rows) this.#know(row);
      const isWhole = rows.length < room;
      room -= rows.length;
      // all before the last entry, or before the last row that was read
      const end = isWhole ? late.at(-1)! : asBuffer((rows.at(-1)!.value as { packed: Uint8Array }).packed);
      while (i + 1 < late.length && comparePlaces(this.#format, late[i + 1]!, end, 0) < 0) i++;
    }
  }

  #know({ key, value }: Row<Table>): void {
    const packed = Buffer.from((value as { packed: Uint8Array }).packed);
    const at = this.#countPartsUpTo(packed);
    const known = this.#parts[at - 1];
    if (known !== undefined && comparePlaces(this.#format, packed, known.packed, 0) === 0) return;
    this.#parts.splice(at, 0, { packed, stored: key, isChanged: false });
  }

  /** How many of the known parts begin at or before an entry. */
  #countPartsUpTo(entry: Buffer): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comparePlaces(this.#format, entry, this.#parts[middle]!.packed, 0) >= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #addToPart(entry: Buffer): boolean {
    const { entryBytes, short, part: moved } = this.#format;
    const at = this.#countPartsUpTo(entry);
    const part = this.#parts[at - 1];
    if (part === undefined) {
      this.#parts.unshift({ packed: Buffer.from(entry), stored: undefined, isChanged: true });
      return true;
    }
    const index = countBefore(this.#format, entry, part.packed);
    const offset = index * entryBytes;
    if (offset < part.packed.length && comparePlaces(this.#format, entry, part.packed, index) === 0) return false;
    part.packed = Buffer.concat([part.packed.subarray(0, offset), entry, part.packed.subarray(offset)]);
    part.isChanged = true;
    if (part.packed.length > short * entryBytes) {
      const border = moved * entryBytes;
      this.#parts.splice(at, 0, { packed: Buffer.from(part.packed.subarray(border)), stored: undefined, isChanged: true });
      part.packed = Buffer.from(part.packed.subarray(0, border));
    }
    return true;
  }

  #movePart(): void {
    const { entryBytes, part } = this.#format;
    const border = part * entryBytes;
    this.#parts.push({ packed: Buffer.from(this.#last.subarray(0, border)), stored: undefined, isChanged: true });
    this.#last.copyWithin(0, border, this.#lastCount * entryBytes);
    this.#lastCount -= part;
    this.#hasParts = true;
  }
}

/** Ranges of rows as the commit before this run left them. */
export type Ranges = Pick<StoreReader, "scan">;
