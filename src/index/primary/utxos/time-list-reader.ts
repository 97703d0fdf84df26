/** Reads lists of UTXOs in order of time (`time-list.ts`): what is last comes from their own rows, and older ones from their parts. */
import { u8, u64 } from "../../../primitives/codec/codec.ts";
import { id, shortId } from "../../../primitives/columns.ts";
import type { ShortId } from "../../../primitives/id.ts";
import type { Row, Table, TableKey } from "../../../primitives/table.ts";
import type { ScanRange, StoreReader } from "../../../store/store.ts";
import {
  asBuffer,
  comparePlaces,
  countBefore,
  countUtxos,
  isSpentAt,
  type ListedUtxo,
  packPlace,
  type TimePlace,
  unpackUtxos,
  utxoAt,
} from "./packed-utxos.ts";
import { PART, type TimeListRow } from "./time-list.ts";
import { utxosByTime } from "./utxo-tables.ts";

/** A list with its own row. */
export interface StoredTimeList {
  readonly chain: number;
  readonly listId: ShortId;
  readonly row: TimeListRow;
}

/** The lists as if each had a row for each of its UTXOs. Read by prefix `{ chain, listId }`, after a place, in either direction. */
export const listedUtxos = { ...utxosByTime, key: { chain: u8, listId: shortId, timestamp: u64, utxoId: id }, value: { amount: u64 } };

export function scanLists(
  reader: StoreReader,
  lists: readonly StoredTimeList[],
  { includeSpent }: { includeSpent: boolean },
): Pick<StoreReader, "scan"> {
  const byId = new Map(lists.map((list) => [list.listId, list]));
  return {
    async scan<T extends Table>(_table: T, range: ScanRange<T>): Promise<Row<T>[]> {
      const { prefix, after, reverse = false, limit } = range as unknown as ScanRange<typeof listedUtxos>;
      const { chain, listId } = prefix as TableKey<typeof listedUtxos>;
      const page = new Page(after as TimePlace | undefined, { reverse, limit, includeSpent });
      await page.read(reader, byId.get(listId)!);
      return page.found.map(({ timestamp, utxoId, amount }) => ({ key: { chain, listId, timestamp, utxoId }, value: { amount } })) as never;
    },
  };
}

/** All UTXOs of a list that has at most `limit`. */
export async function readWhole(
  reader: StoreReader,
  { chain, listId, row }: StoredTimeList,
  { includeSpent, limit }: { includeSpent: boolean; limit: number },
): Promise<ListedUtxo[]> {
  const parts = await reader.scan(utxosByTime, { prefix: { chain, listId, ...(!includeSpent && { isSpent: false }) }, limit });
  return [...parts.map(({ value }) => value.utxos), row.short].flatMap(unpackUtxos);
}

type Part = Row<typeof utxosByTime>;

/** UTXOs of one list in its order, or in reverse, after a place. */
class Page {
  readonly found: ListedUtxo[] = [];
  readonly #after: Buffer | undefined;
  readonly #reverse: boolean;
  readonly #limit: number;
  readonly #includeSpent: boolean;

  constructor(
    after: TimePlace | undefined,
    { reverse, limit, includeSpent }: { readonly reverse: boolean; readonly limit: number; readonly includeSpent: boolean },
  ) {
    this.#after = after && packPlace(after);
    this.#reverse = reverse;
    this.#limit = limit;
    this.#includeSpent = includeSpent;
  }

  async read(reader: StoreReader, { chain, listId, row: { size, short } }: StoredTimeList): Promise<void> {
    const last = asBuffer(short);
    const hasParts = size > countUtxos(short);
    if (this.#reverse) this.#take(last);
    // what comes after a place in the own row is there too
    const isPast = !this.#reverse && this.#after !== undefined && comparePlaces(this.#after, last, 0) >= 0;
    if (hasParts && !isPast && !this.#isFull) await this.#readParts(reader, { chain, listId });
    if (!this.#reverse) this.#take(last);
  }

  get #isFull(): boolean {
    return this.found.length === this.#limit;
  }

  async #readParts(reader: StoreReader, list: { readonly chain: number; readonly listId: ShortId }): Promise<void> {
    const states = this.#includeSpent ? [false, true] : [false];
    const cursors = await Promise.all(states.map((isSpent) => this.#open(reader, { ...list, isSpent })));
    for (;;) {
      let next: PartCursor | undefined;
      for (const cursor of cursors) {
        await cursor.fill();
        if (cursor.part === undefined) continue;
        if (next === undefined || this.#precedes(cursor.part, next.part!)) next = cursor;
      }
      if (next === undefined) return;
      this.#take(asBuffer(next.part!.value.utxos));
      if (this.#isFull) return;
      next.advance();
    }
  }

  #precedes(a: Part, b: Part): boolean {
    const order = packPlace(a.key).compare(packPlace(b.key), 0, 40, 0, 40);
    return this.#reverse ? order > 0 : order < 0;
  }

  /** The first part may begin before the place. */
  async #open(
    reader: StoreReader,
    prefix: { readonly chain: number; readonly listId: ShortId; readonly isSpent: boolean },
  ): Promise<PartCursor> {
    const most = Math.ceil((this.#limit - this.found.length) / PART) + 1;
    if (this.#after === undefined) return new PartCursor(reader, { prefix, reverse: this.#reverse }, most);
    const { timestamp, utxoId } = utxoAt(this.#after, 0);
    const from = { timestamp, utxoId };
    if (this.#reverse) return new PartCursor(reader, { prefix, reverse: true, from }, most);
    const [first] = await reader.scan(utxosByTime, { prefix, from, reverse: true, limit: 1 });
    return new PartCursor(
      reader,
      { prefix, from: first === undefined ? from : { timestamp: first.key.timestamp, utxoId: first.key.utxoId } },
      most,
    );
  }

  /** Takes what comes after the place, as much as the page has room for. */
  #take(packed: Buffer): void {
    const count = countUtxos(packed);
    if (this.#reverse) {
      for (let index = (this.#after === undefined ? count : countBefore(this.#after, packed)) - 1; index >= 0 && !this.#isFull; index--) {
        this.#takeAt(packed, index);
      }
      return;
    }
    let index = this.#after === undefined ? 0 : countBefore(this.#after, packed);
    if (this.#after !== undefined && index < count && comparePlaces(this.#after, packed, index) === 0) index++;
    for (; index < count && !this.#isFull; index++) this.#takeAt(packed, index);
  }

  #takeAt(packed: Buffer, index: number): void {
    if (this.#includeSpent || !isSpentAt(packed, index)) this.found.push(utxoAt(packed, index));
  }
}

/** Parts in order, read a few at a time. */
class PartCursor {
  part: Part | undefined;
  #parts: Part[] = [];
  #isAtEnd = false;
  readonly #reader: StoreReader;
  #range: Omit<ScanRange<typeof utxosByTime>, "limit">;
  #limit: number;

  constructor(reader: StoreReader, range: Omit<ScanRange<typeof utxosByTime>, "limit">, limit: number) {
    this.#reader = reader;
    this.#range = range;
    this.#limit = limit;
  }

  /** Reads on if that is needed to know the next part. */
  async fill(): Promise<void> {
    if (this.part !== undefined) return;
    if (this.#parts.length === 0 && !this.#isAtEnd) {
      this.#parts = await this.#reader.scan(utxosByTime, { ...this.#range, limit: this.#limit });
      this.#isAtEnd = this.#parts.length < this.#limit;
      const { from: _, ...range } = this.#range;
      const last = this.#parts.at(-1)?.key;
      this.#range = { ...range, after: last && { timestamp: last.timestamp, utxoId: last.utxoId } };
      // spent ones leave gaps
      this.#limit *= 2;
    }
    this.part = this.#parts.shift();
  }

  advance(): void {
    this.part = undefined;
  }
}
