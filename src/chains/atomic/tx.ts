/**
 * The C-chain's atomic transactions: their bytes, IDs, and position in a block (chain-formats 9.1, 9.2). The node returns them as bytes
 * only, so no JSON form is defined by it.
 */

import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import {
  type Codec,
  decodeVersioned,
  encodeAll,
  encodeVersioned,
  fixedHex,
  list,
  MAX_MESSAGE_BYTES,
  struct,
  u32,
  u64,
  union,
  type Value,
  variant,
} from "../../base/codec/codec.ts";
import { CodecError } from "../../base/codec/error.ts";
import { id, shortId } from "../../base/table/table.ts";

/** Type IDs: transactions 0 and 1, transfer input 5, transfer output 7, credential 9; 10 and 11 are registered but unused. */
const registered: ReadonlySet<number> = new Set([0, 1, 5, 7, 9, 10, 11]);

const CODEC_VERSION = Buffer.from("0000", "hex");

const transferOutput = variant("TransferOutput", { amount: u64, locktime: u64, threshold: u32, addresses: list(shortId) });
const output = union({ 7: transferOutput }, registered);
const input = union({ 5: variant("TransferInput", { amount: u64, signatureIndices: list(u32) }) }, registered);

export const exportedOutput = struct({ assetId: id, output });
export type ExportedOutput = Value<typeof exportedOutput>;

const importedInput = struct({ txId: id, outputIndex: u32, assetId: id, input });
export type ImportedInput = Value<typeof importedInput>;

/** The UTXO that an export puts into shared memory. */
export const exportedUtxo = struct({ txId: id, outputIndex: u32, assetId: id, output });

/** Amounts are nAVAX; the EVM itself counts in aAVAX, 10^-9 nAVAX. */
const evmOutput = struct({ address: shortId, amount: u64, assetId: id });
const evmInput = struct({ address: shortId, amount: u64, assetId: id, nonce: u64 });

const importTx = variant("ImportTx", {
  networkId: u32,
  blockchainId: id,
  sourceChain: id,
  importedInputs: list(importedInput),
  outputs: list(evmOutput),
});
export type AtomicImport = Value<typeof importTx>;

const exportTx = variant("ExportTx", {
  networkId: u32,
  blockchainId: id,
  destinationChain: id,
  inputs: list(evmInput),
  exportedOutputs: list(exportedOutput),
});
export type AtomicExport = Value<typeof exportTx>;

const unsignedTx = union({ 0: importTx, 1: exportTx }, registered);
const credential = union({ 9: variant("Credential", { signatures: list(fixedHex(65)) }) }, registered);
export type AtomicCredential = Value<typeof credential>;
const credentials = list(credential);

export interface AtomicTx {
  readonly id: Id;
  readonly unsigned: AtomicImport | AtomicExport;
  readonly credentials: readonly AtomicCredential[];
  /** the signed transaction with codec version; its hash is the ID */
  readonly bytes: Uint8Array;
  /** the signed part, with codec version */
  readonly unsignedBytes: Uint8Array;
}

/** A signed transaction as a batch contains it, without codec version. */
const signedTx: Codec<AtomicTx> = {
  decode(reader) {
    const start = reader.offset;
    const unsigned = unsignedTx.decode(reader);
    const unsignedEnd = reader.offset;
    const signatures = credentials.decode(reader);
    const versioned = (end: number) => Buffer.concat([CODEC_VERSION, reader.bytes.subarray(start, end)]);
    const bytes = versioned(reader.offset);
    return { id: sha256Hex(bytes), unsigned, credentials: signatures, bytes, unsignedBytes: versioned(unsignedEnd) };
  },
  encode: (writer, tx) => writer.raw(tx.bytes.subarray(CODEC_VERSION.length)),
  json: () => "null",
};
const batch = list(signedTx);

export function parseAtomicTx(bytes: Uint8Array): AtomicTx {
  return decodeVersioned(signedTx, bytes, { limit: MAX_MESSAGE_BYTES });
}

/** The inverse of {@link parseAtomicTx}. */
export function encodeAtomicTx({ unsigned, credentials: signatures }: Pick<AtomicTx, "unsigned" | "credentials">): Buffer {
  return Buffer.concat([encodeVersioned(unsignedTx, unsigned), encodeAll(credentials, [...signatures])]);
}

/** Parses the transactions in a block's extra data: a single one before Apricot Phase 5, a batch since. */
export function parseExtraData(extraData: Uint8Array, { isBatch }: { isBatch: boolean }): readonly AtomicTx[] {
  if (extraData.length === 0) return [];
  if (!isBatch) return [parseAtomicTx(extraData)];
  const txs = decodeVersioned(batch, extraData, { limit: MAX_MESSAGE_BYTES });
  if (txs.length === 0) throw new CodecError("length", 2, { length: 0 });
  return txs;
}

/** Encodes a block's extra data since Apricot Phase 5: a batch of its transactions, empty if there are none. */
export function encodeExtraData(txs: readonly AtomicTx[]): Buffer {
  return txs.length === 0 ? Buffer.alloc(0) : encodeVersioned(batch, [...txs]);
}

/** Parses a UTXO in shared memory as the C-chain reads it. */
export function parseSharedUtxo(bytes: Uint8Array): Value<typeof exportedUtxo> {
  return decodeVersioned(exportedUtxo, bytes);
}
