/** Fields of P-chain structures: their types, bytes and JSON (rpc-platform 6). */
import { formatId } from "../../base/bytes/cb58.ts";
import { formatNodeId } from "../../base/bytes/node-id.ts";
import { type Codec, fixedHex } from "../../base/codec/codec.ts";

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
export function fixedBytes(length: number, json: Codec<Uint8Array>["json"] = (value) => `"0x${hexText(value)}"`): Codec<Uint8Array> {
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
export const secpFxId = { jsonOnly: () => '"spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ"' };
