/** Where a removed L1 validator came from: protobuf, in the node's `L1ValidatorRegistrationJustification` (chain-formats 7.3). */

import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";

type Justification =
  /** one of the conversion's validators, by its place */
  | { readonly kind: "conversion"; readonly subnetId: Id; readonly index: number }
  /** the message that registered it */
  | { readonly kind: "registration"; readonly message: Uint8Array };

const CONVERSION = 1;
const REGISTRATION = 2;
const VARINT = 0;
const BYTES = 2;

/** Returns undefined if it says nothing. */
export function readJustification(bytes: Uint8Array): Justification | undefined {
  let found: Justification | undefined;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === CONVERSION && value instanceof Uint8Array) found = conversionIn(value);
    if (number === REGISTRATION && value instanceof Uint8Array) found = { kind: "registration", message: value };
  }
  return found;
}

function conversionIn(bytes: Uint8Array): Justification {
  let subnet: Uint8Array = new Uint8Array();
  let index = 0;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1 && value instanceof Uint8Array) subnet = value;
    if (number === 2 && typeof value === "bigint") index = Number(BigInt.asUintN(32, value));
  }
  if (subnet.length !== 32) throw new FirnError("warp", `invalid hash length: expected 32 bytes but got ${subnet.length}`);
  return { kind: "conversion", subnetId: Buffer.from(subnet).toString("hex"), index };
}

function* fieldsOf(bytes: Uint8Array): Generator<{ readonly number: number; readonly value: bigint | Uint8Array }> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new FirnError("warp", "proto: cannot parse invalid wire-format data");
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const type = Number(tag & 7n);
    if (type === VARINT) {
      yield { number, value: varint() };
      continue;
    }
    const length = type === BYTES ? varint() : -1n;
    if (length < 0n || length > BigInt(bytes.length - at)) throw new FirnError("warp", "proto: cannot parse invalid wire-format data");
    yield { number, value: bytes.subarray(at, at + Number(length)) };
    at += Number(length);
  }
}
