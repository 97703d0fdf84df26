/** Fields shared by the structures of asset chains, with the node's JSON (chain-formats 3.1, 6.8; rpc-avm-info-health 4.1). */

import { formatId } from "../../base/bytes/cb58.ts";
import { type Codec, fixedHex, list, struct, u32, u64, type Value } from "../../base/codec/codec.ts";

/** IDs are plain cb58, without a chain prefix. */
export const id = fixedHex(32, (value) => `"${formatId(value)}"`);

/** Addresses have the prefix of the chain being rendered, even in exported outputs. */
export const address = fixedHex(20, (value, context) => `"${context.address(value)}"`);

const SIGNATURE_BYTES = 65;

/** r(32) ++ s(32) ++ recovery ID; decoding returns a view of the input. */
export const signature: Codec<Uint8Array> = {
  decode: (reader) => reader.slice(SIGNATURE_BYTES),
  encode(writer, value) {
    if (value.length !== SIGNATURE_BYTES) throw new RangeError(`a signature needs ${SIGNATURE_BYTES} bytes, got ${value.length}`);
    writer.raw(value);
  },
  json: (value) => `"0x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}"`,
};

/** OutputOwners are inline in every output. The node renders them from a Go map, so their JSON members are sorted. */
export const ownerFields = { locktime: u64, threshold: u32, addresses: list(address) };
export const owners = struct(ownerFields, { jsonSorted: true });
export type Owners = Value<typeof owners>;

/** The signers of one consumed output, as positions in its list of addresses. */
export const inputFields = { signatureIndices: list(u32) };
export const input = struct(inputFields);
export type Input = Value<typeof input>;

export const credentialFields = { signatures: list(signature) };

/** Identifies an output by the transaction that produced it. */
export const utxoReferenceFields = { txId: id, outputIndex: u32 };
export const utxoReference = struct(utxoReferenceFields);
export type UtxoReference = Value<typeof utxoReference>;
