import { CodecError } from "./error.ts";

const MAX_U64 = 2n ** 64n - 1n;

/** A growing byte buffer. */
export class Writer {
  #bytes: Buffer;
  /** the same bytes as a DataView, which writes integers several times as fast */
  #numbers: DataView;
  #length = 0;

  constructor(capacity = 512) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#numbers = numbersOf(this.#bytes);
  }

  get length(): number {
    return this.#length;
  }

  #grow(count: number): number {
    const start = this.#length;
    const needed = start + count;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
      this.#numbers = numbersOf(larger);
    }
    this.#length = needed;
    return start;
  }

  u8(value: number): void {
    if (value !== (value & 0xff)) throw new RangeError(`${value} is no unsigned number of 8 bits`);
    const at = this.#grow(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.#grow(2);
    this.#bytes.writeUInt16BE(value, at);
  }

  u32(value: number): void {
    const at = this.#grow(4);
    this.#bytes.writeUInt32BE(value, at);
  }

  u64(value: bigint): void {
    const at = this.#grow(8);
    if (value < 0n || value > MAX_U64) throw new RangeError(`${value} is no unsigned number of 64 bits`);
    this.#numbers.setBigUint64(at, value);
  }

  /** Returns the number of bytes written: fewer than expected if a digit is not hex. */
  hex(value: string): number {
    const at = this.#grow(value.length / 2);
    return this.#bytes.write(value, at, value.length / 2, "hex");
  }

  raw(value: Uint8Array): void {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
  }

  /** Bytes of a buffer, without a view of them. */
  copy(source: Buffer, start: number, end: number): void {
    const at = this.#grow(end - start);
    source.copy(this.#bytes, at, start, end);
  }

  /** Starts over in the same memory. */
  reset(): void {
    this.#length = 0;
  }

  /** The bytes written so far, as a view that is valid until the next `reset`. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts over in the same memory. */
  clear(): void {
    this.#length = 0;
  }

  /** A copy of the bytes written so far. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }
}

function numbersOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

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
