/** UTXOs of a list, packed into one column: 49 bytes each, in order of time and then of ID. */
import type { Id } from "../../../primitives/id.ts";

/** A position in a list that is in order of time. */
export interface TimePlace {
  /** of the UTXO's creation, Unix seconds */
  readonly timestamp: bigint;
  readonly utxoId: Id;
}

export interface ListedUtxo extends TimePlace {
  readonly amount: bigint;
  isSpent: boolean;
}

const TIME_BYTES = 8;
const ID_BYTES = 32;
const PLACE_BYTES = TIME_BYTES + ID_BYTES;
const SPENT_AT = PLACE_BYTES + 8;
export const ENTRY_BYTES = SPENT_AT + 1;

export function packPlace({ timestamp, utxoId }: TimePlace): Buffer {
  const entry = Buffer.allocUnsafe(ENTRY_BYTES);
  entry.writeBigUInt64BE(timestamp);
  entry.write(utxoId, TIME_BYTES, "hex");
  return entry;
}

export function packUtxo(utxo: ListedUtxo): Buffer {
  const entry = packPlace(utxo);
  entry.writeBigUInt64BE(utxo.amount, PLACE_BYTES);
  entry[SPENT_AT] = utxo.isSpent ? 1 : 0;
  return entry;
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

export function countUtxos(packed: Uint8Array): number {
  return packed.length / ENTRY_BYTES;
}

export function utxoAt(packed: Buffer, index: number): ListedUtxo {
  const at = index * ENTRY_BYTES;
  return {
    utxoId: packed.toString("hex", at + TIME_BYTES, at + PLACE_BYTES),
    timestamp: packed.readBigUInt64BE(at),
    amount: packed.readBigUInt64BE(at + PLACE_BYTES),
    isSpent: isSpentAt(packed, index),
  };
}

export function isSpentAt(packed: Uint8Array, index: number): boolean {
  return packed[index * ENTRY_BYTES + SPENT_AT] === 1;
}

export function unpackUtxos(packed: Uint8Array): ListedUtxo[] {
  const all = asBuffer(packed);
  return Array.from({ length: countUtxos(packed) }, (_, index) => utxoAt(all, index));
}

/** Compares the places of an entry and of the one at an index. */
export function comparePlaces(entry: Buffer, packed: Buffer, index: number): number {
  const at = index * ENTRY_BYTES;
  return entry.compare(packed, at, at + PLACE_BYTES, 0, PLACE_BYTES);
}

/** How many of the first `count` entries come before an entry. */
export function countBefore(entry: Buffer, packed: Buffer, count = countUtxos(packed)): number {
  // most come last
  if (count === 0 || comparePlaces(entry, packed, count - 1) > 0) return count;
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(entry, packed, middle) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function markSpent(packed: Buffer, index: number): void {
  packed[index * ENTRY_BYTES + SPENT_AT] = 1;
}
