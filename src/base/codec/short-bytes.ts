/** Byte strings in rows: with a short length, and without the zeros that the words of contracts are full of. Only for Firn's own rows. */
import type { Codec } from "./codec.ts";
import { CodecError } from "./error.ts";
import { readVarint, writeVarint } from "./varint.ts";
import type { Writer } from "./writer.ts";

/** Varint length, then raw bytes (a view of the input). */
export const shortBytes: Codec<Uint8Array> = {
  decode: (reader) => reader.slice(readVarint(reader)),
  encode(writer, value) {
    writeVarint(writer, value.length);
    writer.raw(value);
  },
  json: (value) => hexJson(value),
  column: { kind: "bytes" },
};

/** longest run of zeros that is one */
const LONGEST_RUN = 255;

/**
 * Varint of twice the length, plus one if zeros are packed: each run of them is then a zero and a byte with their number. They are packed
 * if that is shorter.
 */
export const packedBytes: Codec<Uint8Array> = {
  decode(reader) {
    const header = readVarint(reader);
    const length = Math.floor(header / 2);
    if (header % 2 === 0) return reader.slice(length);
    // two bytes make at most LONGEST_RUN
    if (length > reader.left * LONGEST_RUN) throw new CodecError("short", reader.offset, { need: length, left: reader.left });
    const value = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const byte = reader.u8();
      if (byte === 0) at += reader.u8();
      else value[at++] = byte;
      if (at > length) throw new CodecError("length", reader.offset, { length: at, limit: length });
    }
    return value;
  },
  encode(writer, value) {
    const { length } = value;
    const isPacked = packedLength(value) < length;
    writeVarint(writer, 2 * length + (isPacked ? 1 : 0));
    if (isPacked) pack(writer, value);
    else writer.raw(value);
  },
  json: (value) => hexJson(value),
  column: { kind: "bytes" },
};

function pack(writer: Writer, value: Uint8Array): void {
  for (let at = 0; at < value.length; ) {
    const byte = value[at]!;
    writer.u8(byte);
    if (byte !== 0) at++;
    else {
      const run = runAt(value, at);
      writer.u8(run);
      at += run;
    }
  }
}

function packedLength(value: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < value.length; ) {
    if (value[at] !== 0) {
      at++;
      length++;
    } else {
      at += runAt(value, at);
      length += 2;
    }
  }
  return length;
}

function runAt(value: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < value.length && end - at < LONGEST_RUN && value[end] === 0) end++;
  return end - at;
}

function hexJson(value: Uint8Array): string {
  return `"0x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}"`;
}
