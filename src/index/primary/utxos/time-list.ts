/**
 * A list of UTXOs in order of time, as a run changes it. Its own row has the last ones. When that row is full, it moves the first half of
 * them into a row of `utxos_by_time`, a part, which is then only changed by UTXOs that are spent, or that are older than what the own row
 * has (time goes back between the streams of a chain). So an append costs no row and no read, and a spent UTXO costs at most one of each.
 *
 * Parts do not overlap, and all come before what the own row has. They depend on the order in which UTXOs were added, and not on which of
 * them were committed together.
 */
import type { ShortId } from "../../../primitives/id.ts";
import type { Row, TableKey } from "../../../primitives/table.ts";
import type { View } from "../../../primitives/view.ts";
import type { Ranges } from "../projection.ts";
import {
  comparePlaces,
  countBefore,
  countUtxos,
  ENTRY_BYTES,
  isSpentAt,
  type ListedUtxo,
  markSpent,
  packPlace,
  packUtxo,
  type TimePlace,
  unpackUtxos,
  utxoAt,
} from "./packed-utxos.ts";
import { utxosByTime } from "./utxo-tables.ts";

/** UTXOs in a list's own row, which stays below half a page of the store: beyond that it would take pages of its own. */
export const SHORT = 32;
/** UTXOs that move into a part at once. A part that grows beyond SHORT is split after as many. */
export const PART = 16;

/** One row of `utxos_by_time`. */
interface Part {
  utxos: Buffer;
  /** the key of the row in the store */
  stored: TableKey<typeof utxosByTime> | undefined;
  isChanged: boolean;
}

/** What a list's row has of it. */
export interface TimeListRow {
  readonly size: number;
  readonly short: Uint8Array;
}

export class TimeList {
  readonly #chain: number;
  readonly #listId: ShortId;
  /** with room for one more than SHORT */
  readonly #last: Buffer;
  #lastCount: number;
  #hasParts: boolean;
  /** in order: those that were read, and those that are new */
  readonly #parts: Part[] = [];

  constructor(chain: number, listId: ShortId, { size, short }: TimeListRow) {
    this.#chain = chain;
    this.#listId = listId;
    this.#last = Buffer.allocUnsafe((SHORT + 1) * ENTRY_BYTES);
    this.#last.set(short);
    this.#lastCount = countUtxos(short);
    this.#hasParts = size > this.#lastCount;
  }

  /** Reads the parts that these additions and spent UTXOs will change. */
  async read(ranges: Ranges, added: Iterable<TimePlace>, spent: Iterable<TimePlace>): Promise<void> {
    if (!this.#hasParts) return;
    // what is to be spent is in a part with unspent ones, and in its part
    for (const place of spent)
      if (this.#isInParts(packPlace(place)) && !this.#hasRead(place)) await this.#readPartOf(ranges, place, [false]);
    for (const place of added) if (this.#isInParts(packPlace(place))) await this.#readPartOf(ranges, place, [false, true]);
  }

  /** Reads all parts. @param limit of UTXOs that the list has */
  async readAll(ranges: Ranges, limit: number): Promise<void> {
    if (!this.#hasParts) return;
    const prefix = { chain: this.#chain, listId: this.#listId };
    for (const row of await ranges.scan(utxosByTime, { prefix, limit })) this.#know(row);
  }

  add(utxo: ListedUtxo): void {
    const entry = packUtxo(utxo);
    if (this.#isInParts(entry)) {
      this.#addToPart(entry);
      return;
    }
    const at = countBefore(entry, this.#last, this.#lastCount) * ENTRY_BYTES;
    this.#last.copyWithin(at + ENTRY_BYTES, at, this.#lastCount * ENTRY_BYTES);
    entry.copy(this.#last, at);
    if (++this.#lastCount > SHORT) this.#movePart();
  }

  spend(place: TimePlace): void {
    const entry = packPlace(place);
    const part = this.#isInParts(entry) ? this.#parts[this.#countPartsUpTo(entry) - 1] : undefined;
    const [utxos, count] = part === undefined ? [this.#last, this.#lastCount] : [part.utxos, countUtxos(part.utxos)];
    const index = countBefore(entry, utxos, count);
    if (index === count || comparePlaces(entry, utxos, index) !== 0)
      throw new Error(`a list of UTXOs lacks ${place.utxoId}, which is spent`);
    markSpent(utxos, index);
    if (part !== undefined) part.isChanged = true;
  }

  /** All UTXOs in order. The parts must have been read. */
  all(): ListedUtxo[] {
    return [...this.#parts.map(({ utxos }) => utxos), this.last].flatMap(unpackUtxos);
  }

  /** What the list's own row has. */
  get last(): Buffer {
    return this.#last.subarray(0, this.#lastCount * ENTRY_BYTES);
  }

  write(view: View): void {
    for (const part of this.#parts) {
      if (!part.isChanged) continue;
      const { timestamp, utxoId } = utxoAt(part.utxos, 0);
      const isSpent = Array.from({ length: countUtxos(part.utxos) }, (_, index) => isSpentAt(part.utxos, index)).every(Boolean);
      // its first UTXO remains: older ones are not added to it
      if (part.stored !== undefined && part.stored.isSpent !== isSpent) view.writeUnread(utxosByTime, part.stored, undefined);
      view.writeUnread(utxosByTime, { chain: this.#chain, listId: this.#listId, isSpent, timestamp, utxoId }, { utxos: part.utxos });
    }
  }

  #isInParts(entry: Buffer): boolean {
    return this.#hasParts && comparePlaces(entry, this.#last, 0) < 0;
  }

  #hasRead(place: TimePlace): boolean {
    const entry = packPlace(place);
    const part = this.#parts[this.#countPartsUpTo(entry) - 1];
    return part !== undefined && comparePlaces(entry, part.utxos, countUtxos(part.utxos) - 1) <= 0;
  }

  /** Of all parts, the last one that begins at or before a place. */
  async #readPartOf(ranges: Ranges, { timestamp, utxoId }: TimePlace, states: readonly boolean[]): Promise<void> {
    for (const isSpent of states) {
      const prefix = { chain: this.#chain, listId: this.#listId, isSpent };
      const [row] = await ranges.scan(utxosByTime, { prefix, from: { timestamp, utxoId }, reverse: true, limit: 1 });
      if (row !== undefined) this.#know(row);
    }
  }

  #know({ key, value }: Row<typeof utxosByTime>): void {
    const at = this.#countPartsUpTo(packPlace(key));
    const known = this.#parts[at - 1];
    if (known?.stored?.utxoId === key.utxoId) return;
    this.#parts.splice(at, 0, { utxos: Buffer.from(value.utxos), stored: key, isChanged: false });
  }

  /** How many of the known parts begin at or before an entry. */
  #countPartsUpTo(entry: Buffer): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comparePlaces(entry, this.#parts[middle]!.utxos, 0) >= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #addToPart(entry: Buffer): void {
    const at = this.#countPartsUpTo(entry);
    const part = this.#parts[at - 1];
    if (part === undefined) {
      this.#parts.unshift({ utxos: entry, stored: undefined, isChanged: true });
      return;
    }
    const offset = countBefore(entry, part.utxos) * ENTRY_BYTES;
    part.utxos = Buffer.concat([part.utxos.subarray(0, offset), entry, part.utxos.subarray(offset)]);
    part.isChanged = true;
    if (countUtxos(part.utxos) <= SHORT) return;
    const border = PART * ENTRY_BYTES;
    this.#parts.splice(at, 0, { utxos: Buffer.from(part.utxos.subarray(border)), stored: undefined, isChanged: true });
    part.utxos = Buffer.from(part.utxos.subarray(0, border));
  }

  #movePart(): void {
    const border = PART * ENTRY_BYTES;
    this.#parts.push({ utxos: Buffer.from(this.#last.subarray(0, border)), stored: undefined, isChanged: true });
    this.#last.copyWithin(0, border, this.#lastCount * ENTRY_BYTES);
    this.#lastCount -= PART;
    this.#hasParts = true;
  }
}
