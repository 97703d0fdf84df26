import { CodecError } from "./error.ts";

/** A cursor over immutable bytes. Every read checks bounds and advances it. */
export class Reader {
  readonly bytes: Buffer;
  offset: number;
  readonly end: number;

  constructor(bytes: Uint8Array, offset = 0, end = bytes.length) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
    this.end = end;
  }

  get left(): number {
    return this.end - this.offset;
  }

  /** Advances by `count` bytes and returns where they start. `reading` is the node's name of the value's kind; raw bytes have none. */
  take(count: number, reading?: string): number {
    const start = this.offset;
    if (count > this.end - start) {
      throw new CodecError("short", start, { need: count, left: this.end - start, ...(reading && { reading }) });
    }
    this.offset = start + count;
    return start;
  }

  u8(): number {
    return this.bytes[this.take(1, "uint8")]!;
  }

  u16(reading = "uint16"): number {
    return this.bytes.readUInt16BE(this.take(2, reading));
  }

  u32(reading = "uint32"): number {
    return this.bytes.readUInt32BE(this.take(4, reading));
  }

  u64(): bigint {
    return this.bytes.readBigUInt64BE(this.take(8, "uint64"));
  }

  hex(count: number): string {
    const start = this.take(count);
    return this.bytes.toString("hex", start, start + count);
  }

  /** Returns a view of the input, not a copy. */
  slice(count: number, reading?: string): Buffer {
    const start = this.take(count, reading);
    return this.bytes.subarray(start, start + count);
  }

  /** Reads a u32 count or length, at most 2^31-1. */
  length(): number {
    const at = this.offset;
    const length = this.u32("slice");
    if (length > 0x7fffffff) throw new CodecError("length", at, { length });
    return length;
  }
}
