/** Lists of UTXOs in order of time, packed (`packed-list.ts`): 49 bytes for each UTXO, in order of time and then of ID. */
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { asBuffer, type PackedFormat, PackedList, type PackedRow } from "../../packed-list.ts";
import { utxosByTime } from "./utxo-tables.ts";

/** A position in a list. */
export interface TimePlace {
  /** of the UTXO's creation, Unix seconds */
  readonly timestamp: bigint;
  readonly utxoId: Id;
}

export interface ListedUtxo extends TimePlace {
  readonly amount: bigint;
  isSpent: boolean;
  /** what `entryOf` made */
  entry?: Buffer;
}

const TIME_BYTES = 8;
const ID_BYTES = 32;
const PLACE_BYTES = TIME_BYTES + ID_BYTES;
const SPENT_AT = PLACE_BYTES + 8;
const ENTRY_BYTES = SPENT_AT + 1;

/** UTXOs in a list's own row. */
export const SHORT = 32;

/** A part is of the first kind while it has unspent UTXOs. */
export const utxoLists: PackedFormat<typeof utxosByTime> = {
  table: utxosByTime,
  entryBytes: ENTRY_BYTES,
  placeBytes: PLACE_BYTES,
  short: SHORT,
  part: 16,
  kinds: [{ isSpent: false }, { isSpent: true }],
  kindOf: (packed) => ({ isSpent: Array.from({ length: countUtxos(packed) }, (_, index) => isSpentAt(packed, index)).every(Boolean) }),
  placeOf: placeAt,
  packPlace: (place) => packPlace(place as TimePlace),
};

/** What a list's own row has of it. */
export interface UtxoListRow {
  readonly size: number;
  readonly short: Uint8Array;
}

export function packedRow({ size, short }: UtxoListRow): PackedRow {
  return { hasParts: size > countUtxos(short), last: short };
}

/** A list in a run. */
export function openList(chain: number, listId: ShortId, row: UtxoListRow): PackedList {
  return new PackedList(utxoLists, { chain, listId }, packedRow(row));
}

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

/** Packed, once for all lists. The UTXO must not change any more. */
export function entryOf(utxo: ListedUtxo): Buffer {
  utxo.entry ??= packUtxo(utxo);
  return utxo.entry;
}

export function countUtxos(packed: Uint8Array): number {
  return packed.length / ENTRY_BYTES;
}

export function utxoAt(packed: Buffer, index: number): ListedUtxo {
  const at = index * ENTRY_BYTES;
  return {
    timestamp: packed.readBigUInt64BE(at),
    utxoId: packed.toString("hex", at + TIME_BYTES, at + PLACE_BYTES),
    amount: packed.readBigUInt64BE(at + PLACE_BYTES),
    isSpent: isSpentAt(packed, index),
  };
}

function placeAt(packed: Buffer, index: number): TimePlace {
  const at = index * ENTRY_BYTES;
  return { timestamp: packed.readBigUInt64BE(at), utxoId: packed.toString("hex", at + TIME_BYTES, at + PLACE_BYTES) };
}

export function isSpentAt(packed: Uint8Array, index: number): boolean {
  return packed[index * ENTRY_BYTES + SPENT_AT] === 1;
}

export function unpackUtxos(packed: Uint8Array): ListedUtxo[] {
  const all = asBuffer(packed);
  return Array.from({ length: countUtxos(packed) }, (_, index) => utxoAt(all, index));
}

export function markSpent(packed: Buffer, index: number): void {
  packed[index * ENTRY_BYTES + SPENT_AT] = 1;
}
