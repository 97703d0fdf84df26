/** Warp messages: an envelope signed by the validators of a chain's subnet (chain-formats 7.1, 7.2). */

import { bytes, decodeVersioned, encodeVersioned, struct, u32, union, type Value, variant } from "../../../base/codec/codec.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import { RuleError } from "../../../network/execution.ts";
import { blsSignature, id } from "../output.ts";
import { readable } from "../readable.ts";

const unsignedFields = { networkId: u32, sourceChainId: id, payload: bytes };
const unsignedMessage = struct(unsignedFields);
export type UnsignedWarpMessage = Value<typeof unsignedMessage>;

const signature = union({ 0: variant("BitSetSignature", { signers: bytes, signature: blsSignature }) }, new Set([0]));

const message = struct({ ...unsignedFields, signature });
export type WarpMessage = Value<typeof message>;

const payloadTypes = union(
  { 0: variant("Hash", { hash: id }), 1: variant("AddressedCall", { sourceAddress: bytes, payload: bytes }) },
  new Set([0, 1]),
);
type WarpPayload = Value<typeof payloadTypes>;
export type AddressedCall = Extract<WarpPayload, { kind: "AddressedCall" }>;

const MAX_PAYLOAD_BYTES = 24 * 1024;

export function parseWarpMessage(input: Uint8Array): WarpMessage {
  return readable(() => decodeVersioned(message, input));
}

export function encodeWarpMessage(value: WarpMessage): Buffer {
  return encodeVersioned(message, value);
}

/** The bytes that validators sign. */
export function unsignedWarpBytes({ networkId, sourceChainId, payload }: UnsignedWarpMessage): Buffer {
  return encodeVersioned(unsignedMessage, { networkId, sourceChainId, payload });
}

export function encodeWarpPayload(value: WarpPayload): Buffer {
  return encodeVersioned(payloadTypes, value);
}

export function parseUnsignedWarpMessage(input: Uint8Array): UnsignedWarpMessage {
  return readable(() => decodeVersioned(unsignedMessage, input));
}

export function parseWarpPayload(input: Uint8Array): WarpPayload {
  return readable(() => decodeVersioned(payloadTypes, input, { limit: MAX_PAYLOAD_BYTES }));
}

export function parseAddressedCall(input: Uint8Array): AddressedCall {
  const value = parseWarpPayload(input);
  if (value.kind !== "AddressedCall") throw new RuleError("warp-payload-type", `wrong payload type: *payload.${value.kind}`);
  return value;
}

/** Reads the payload of an addressed call. A message that cannot be parsed gives nothing here, and fails in execution. */
export function readMessage<T>(message: Uint8Array, read: (payload: Uint8Array) => T[]): T[] {
  try {
    return read(parseAddressedCall(parseWarpMessage(message).payload).payload);
  } catch (error) {
    if (error instanceof FirnError) return [];
    throw error;
  }
}

/** The number of signers: the set bits of a big-endian number without leading zero bytes. */
export function countSigners(signers: Uint8Array): number {
  requireShortestForm(signers);
  let count = 0;
  for (let byte of signers) for (; byte !== 0; byte >>= 1) count += byte & 1;
  return count;
}

/** The positions of the signers in the canonical set, ascending. */
export function signerPositions(signers: Uint8Array): number[] {
  requireShortestForm(signers);
  const positions: number[] = [];
  for (let bit = 0; bit < signers.length * 8; bit++) {
    if ((signers[signers.length - 1 - (bit >> 3)]! >> (bit & 7)) & 1) positions.push(bit);
  }
  return positions;
}

function requireShortestForm(signers: Uint8Array): void {
  if (signers[0] === 0) throw new RuleError("warp-bit-set", "bitset is invalid");
}
