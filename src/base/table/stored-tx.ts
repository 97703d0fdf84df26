/**
 * How the row of an accepted transaction of P or X keeps its bytes. Those of a transaction in a block are in the block's row, which is not
 * larger than a message (256 KiB); the row says where. Others – of genesis, of the DAG, and those that execution reads again – are kept.
 */
import { bytes, u16, u32 } from "../codec/codec.ts";

export const storedTxColumns = {
  typeId: u16,
  /** position in the block, where it has no codec version */
  offset: u32,
  /** without codec version; 0 if the bytes are kept */
  size: u32,
  /** with codec version; empty if they are in the block */
  bytes,
};

export interface StoredTx {
  readonly typeId: number;
  readonly offset: number;
  readonly size: number;
  readonly bytes: Uint8Array;
}

const VERSION = Buffer.alloc(2);
const NO_BYTES = new Uint8Array(0);

/** Size of a transaction in a block. @param tx with codec version */
export function sizeInBlock(tx: Uint8Array): number {
  return tx.length - VERSION.length;
}

/** @param tx with codec version */
export function storedInBlock(tx: Uint8Array, offset: number): StoredTx {
  return { typeId: typeIdOf(tx), offset, size: sizeInBlock(tx), bytes: NO_BYTES };
}

/** @param tx with codec version */
export function storedWhole(tx: Uint8Array): StoredTx {
  return { typeId: typeIdOf(tx), offset: 0, size: 0, bytes: tx };
}

/** A transaction that was cut out of its block gets the codec version back. */
export function withVersion(cutOut: Uint8Array): Buffer {
  return Buffer.concat([VERSION, cutOut]);
}

function typeIdOf(tx: Uint8Array): number {
  return Buffer.from(tx.buffer, tx.byteOffset, tx.byteLength).readUInt32BE(VERSION.length);
}
