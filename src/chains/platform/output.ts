/** Outputs, inputs and UTXOs of the P-chain (chain-formats 3). */

import type { ShortId } from "../../base/bytes/id.ts";
import { type Codec, list, u32, u64, type Value } from "../../base/codec/codec.ts";
import { CodecError } from "../../base/codec/error.ts";
import { struct, union, variant } from "../../base/codec/struct.ts";
import { address, id, secpFxId } from "./fields.ts";
import { txTypeIds } from "./type-ids.ts";

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
