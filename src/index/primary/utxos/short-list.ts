/**
 * The UTXOs of a short list, packed into one column: 49 bytes for each, in order of time and then of ID. Most owners never have more, so
 * that their UTXOs need no rows of their own.
 */
import type { Id } from "../../../primitives/id.ts";

export interface ListedUtxo {
  readonly utxoId: Id;
  /** of its creation, Unix seconds */
  readonly timestamp: bigint;
  readonly amount: bigint;
  isSpent: boolean;
}

const TIME_BYTES = 8;
const ID_BYTES = 32;
const AMOUNT_AT = TIME_BYTES + ID_BYTES;
const SPENT_AT = AMOUNT_AT + 8;
const ENTRY_BYTES = SPENT_AT + 1;

export function packShortList(utxos: readonly ListedUtxo[]): Uint8Array {
  const entries = utxos.map(({ utxoId, timestamp, amount, isSpent }) => {
    const entry = Buffer.allocUnsafe(ENTRY_BYTES);
    entry.writeBigUInt64BE(timestamp);
    entry.write(utxoId, TIME_BYTES, "hex");
    entry.writeBigUInt64BE(amount, AMOUNT_AT);
    entry[SPENT_AT] = isSpent ? 1 : 0;
    return entry;
  });
  return Buffer.concat(entries.sort((a, b) => a.compare(b)));
}

export function unpackShortList(packed: Uint8Array): ListedUtxo[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, i) => {
    const at = i * ENTRY_BYTES;
    return {
      utxoId: bytes.toString("hex", at + TIME_BYTES, at + AMOUNT_AT),
      timestamp: bytes.readBigUInt64BE(at),
      amount: bytes.readBigUInt64BE(at + AMOUNT_AT),
      isSpent: bytes[at + SPENT_AT] === 1,
    };
  });
}
