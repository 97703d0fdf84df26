/**
 * RLP, as far as C-chain blocks need it. Items are views of the input and are interpreted on demand. Strict: only the shortest form of a
 * length is accepted. Every failure is a CodecError.
 */
import { CodecError } from "./error.ts";

export interface RlpItem {
  readonly kind: "string" | "list";
  /** including the prefix */
  readonly encoding: Buffer;
  /** without the prefix */
  readonly payload: Buffer;
  /** position of the prefix in the whole input */
  readonly offset: number;
}

/** Reads the single item that is the whole input. */
export function readRlp(input: Uint8Array): RlpItem {
  const bytes = Buffer.isBuffer(input) ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const item = readItem(bytes, 0, 0);
  const read = item.encoding.length;
  if (read !== bytes.length) throw new CodecError("trailing", read, { read, provided: bytes.length });
  return item;
}

export function rlpItems(item: RlpItem): RlpItem[] {
  if (item.kind !== "list") throw new CodecError("wrong-type", item.offset, { expected: "list" });
  const start = item.offset + item.encoding.length - item.payload.length;
  const items: RlpItem[] = [];
  for (let at = 0; at < item.payload.length; at += items[items.length - 1]!.encoding.length) {
    items.push(readItem(item.payload, at, start + at));
  }
  return items;
}

/** The bytes of a string item. */
export function rlpBytes(item: RlpItem, length?: number): Buffer {
  if (item.kind !== "string") throw new CodecError("wrong-type", item.offset, { expected: "string" });
  if (length !== undefined && item.payload.length !== length) {
    throw new CodecError("length", item.offset, { length: item.payload.length, expected: length });
  }
  return item.payload;
}

/** A number: big-endian without leading zeros, at most `bytes` long. */
export function rlpInteger(item: RlpItem, bytes: 8 | 32 = 8): bigint {
  const digits = rlpBytes(item);
  if (digits.length > bytes || digits[0] === 0) throw new CodecError("length", item.offset, { length: digits.length, limit: bytes });
  return digits.length === 0 ? 0n : BigInt(`0x${digits.toString("hex")}`);
}

/** Encodes a string; also used for hashes. */
export function encodeRlpString(bytes: Uint8Array): Buffer {
  return bytes.length === 1 && bytes[0]! < 0x80 ? Buffer.from(bytes) : withLength(0x80, bytes);
}

export function encodeRlpInteger(value: bigint): Buffer {
  return encodeRlpString(value === 0n ? new Uint8Array() : bigEndian(value));
}

/** @param items encoded items */
export function encodeRlpList(items: readonly Uint8Array[]): Buffer {
  return withLength(0xc0, Buffer.concat(items));
}

function withLength(base: number, payload: Uint8Array): Buffer {
  if (payload.length < 56) return Buffer.concat([Uint8Array.of(base + payload.length), payload]);
  const length = bigEndian(BigInt(payload.length));
  return Buffer.concat([Uint8Array.of(base + 55 + length.length), length, payload]);
}

function bigEndian(value: bigint): Buffer {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 ? `0${digits}` : digits, "hex");
}

function readItem(bytes: Buffer, at: number, offset: number): RlpItem {
  if (at >= bytes.length) throw new CodecError("short", offset, { need: 1, left: 0 });
  const prefix = bytes[at]!;
  const kind = prefix < 0xc0 ? "string" : "list";
  if (prefix < 0x80) {
    const encoding = bytes.subarray(at, at + 1);
    return { kind, encoding, payload: encoding, offset };
  }
  const code = prefix - (kind === "string" ? 0x80 : 0xc0);
  const lengthBytes = Math.max(0, code - 55);
  const length = lengthBytes === 0 ? code : readLength(bytes, at + 1, lengthBytes, offset);
  const start = at + 1 + lengthBytes;
  if (length > bytes.length - start) throw new CodecError("short", offset, { need: length, left: bytes.length - start });
  const payload = bytes.subarray(start, start + length);
  if (kind === "string" && length === 1 && payload[0]! < 0x80) throw new CodecError("length", offset, { length: 1, expected: 0 });
  return { kind, encoding: bytes.subarray(at, start + length), payload, offset };
}

function readLength(bytes: Buffer, at: number, lengthBytes: number, offset: number): number {
  if (lengthBytes > bytes.length - at) throw new CodecError("short", offset, { need: lengthBytes, left: bytes.length - at });
  if (lengthBytes > 4) throw new CodecError("length", offset, { lengthBytes });
  const length = bytes.readUIntBE(at, lengthBytes);
  // the shortest form must be used
  if (length < 56 || bytes[at] === 0) throw new CodecError("length", offset, { length });
  return length;
}
