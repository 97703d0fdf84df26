/** Outputs, inputs and UTXOs of the P-chain (chain-formats 3). */

import { formatId, formatNodeId } from "../../base/bytes/cb58.ts";
import type { ShortId } from "../../base/bytes/id.ts";
import { type Codec, fixedHex, list, struct, u32, u64, union, type Value, variant } from "../../base/codec/codec.ts";
import { CodecError } from "../../base/codec/error.ts";
import { txTypeIds } from "./type-ids.ts";

/** Fields of P-chain structures: their types, bytes and JSON (rpc-platform 6). */
export const id = fixedHex(32, (value) => `"${formatId(value)}"`);
export const nodeId = fixedHex(20, (value) => `"${formatNodeId(value)}"`);
/** An address with the chain's prefix, `P-…`. */
export const address = fixedHex(20, (value, context) => `"${context.address(value)}"`);
/** An address of an L1 owner: cb58 without a prefix. */
export const plainAddress = fixedHex(20, (value) => `"${formatId(value)}"`);
export const blsPublicKey = fixedHex(48);

function hexText(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
}

/** `length` raw bytes without a length prefix. Decoding returns a view of the input. */
function fixedBytes(length: number, json: Codec<Uint8Array>["json"] = (value) => `"0x${hexText(value)}"`): Codec<Uint8Array> {
  return {
    decode: (reader) => reader.slice(length),
    encode(writer, value) {
      if (value.length !== length) throw new RangeError(`needs ${length} bytes, got ${value.length}`);
      writer.raw(value);
    },
    json,
  };
}

export const secpSignature = fixedBytes(65);
export const blsSignature = fixedBytes(96);
/** The node's JSON of RegisterL1ValidatorTx has the signature as a list of numbers. */
export const blsSignatureNumbers = fixedBytes(96, (value) => `[${value.join(",")}]`);
/** u32 length, then bytes; JSON is base64. */
export const base64Bytes: Codec<Uint8Array> = {
  decode: (reader) => reader.slice(reader.length()),
  encode(writer, value) {
    writer.u32(value.length);
    writer.raw(value);
  },
  json: (value) => `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")}"`,
};

/** Every output, input and credential belongs to the secp256k1 fx: the node's JSON has the fx's ID, which is not in the bytes. */
const secpFxId = { jsonOnly: () => '"spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ"' };

const LOCK_IN = 21;
const LOCK_OUT = 22;

/** The codec for the inside of a lock, in which another lock must not occur although both belong to the same union. */
function unnested<T>(inner: Codec<T>, lockTypeId: number): Codec<T> {
  return {
    ...inner,
    decode(reader) {
      if (reader.left >= 4 && reader.bytes.readUInt32BE(reader.offset) === lockTypeId) {
        throw new CodecError("recursive", reader.offset, { typeId: lockTypeId });
      }
      return inner.decode(reader);
    },
  };
}

const transferOutput = variant(
  "TransferOutput",
  { amount: u64, locktime: u64, threshold: u32, addresses: list(address) },
  { jsonSorted: true },
);
export type TransferOutput = Value<typeof transferOutput>;

const lockOut = variant("LockOut", { locktime: u64, output: unnested(union({ 7: transferOutput }, txTypeIds), LOCK_OUT) });
export type LockOut = Value<typeof lockOut>;

export const output = union({ 7: transferOutput, [LOCK_OUT]: lockOut }, txTypeIds);
export type Output = Value<typeof output>;

const transferInput = variant("TransferInput", { amount: u64, signatureIndices: list(u32) });
export type TransferInput = Value<typeof transferInput>;

const lockIn = variant("LockIn", { locktime: u64, input: unnested(union({ 5: transferInput }, txTypeIds), LOCK_IN) });
export type LockIn = Value<typeof lockIn>;

const input = union({ 5: transferInput, [LOCK_IN]: lockIn }, txTypeIds);
export type Input = Value<typeof input>;

export const transferableOutput = struct({ assetId: id, fxId: secpFxId, output });
export type TransferableOutput = Value<typeof transferableOutput>;

export const transferableInput = struct({ txId: id, outputIndex: u32, assetId: id, fxId: secpFxId, input });
export type TransferableInput = Value<typeof transferableInput>;

export const utxo = struct({ txId: id, outputIndex: u32, assetId: id, output });
export type Utxo = Value<typeof utxo>;

/** The output with amount and owner, without its lock. */
export function unlockedOutput(value: Output): TransferOutput {
  return value.kind === "LockOut" ? value.output : value;
}

export function unlockedInput(value: Input): TransferInput {
  return value.kind === "LockIn" ? value.input : value;
}

/** All addresses of an output, for address indexes. A locked output is indexed by its inner owner. */
export function outputAddresses(value: Output): readonly ShortId[] {
  return unlockedOutput(value).addresses;
}
