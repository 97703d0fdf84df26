/**
 * Tells of most keys that a file does not have that it does not have them, without reading it: a Bloom filter in blocks of the size of a
 * cache line. About one in a hundred keys that are absent counts as present; none that is present counts as absent.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

const BITS_PER_KEY = 10;
const BLOCK_BITS = 512;
const BLOCK_WORDS = BLOCK_BITS / 32;
const PROBES = 6;
/** A filter of a billion keys, which more would make too large for memory, so they share it: more of them count as present. */
const MOST_BLOCKS = 2 ** 24;
const MAGIC = 0x4669_7264;
const HEADER_BYTES = 16;

export class KeyFilter {
  readonly #words: Uint32Array;
  readonly #blocks: number;

  private constructor(words: Uint32Array) {
    this.#words = words;
    this.#blocks = words.length / BLOCK_WORDS;
  }

  /** An empty filter for about so many keys. */
  static forKeys(count: number): KeyFilter {
    const blocks = Math.min(Math.max(1, Math.ceil((count * BITS_PER_KEY) / BLOCK_BITS)), MOST_BLOCKS);
    return new KeyFilter(new Uint32Array(blocks * BLOCK_WORDS));
  }

  /** undefined if there is no whole filter in the file */
  static read(path: string): KeyFilter | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      return undefined;
    }
    if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return undefined;
    const content = bytes.subarray(HEADER_BYTES);
    const blocks = bytes.readUInt32LE(4);
    if (blocks === 0 || content.length !== blocks * BLOCK_WORDS * 4 || bytes.readUInt32LE(8) !== crc32(content)) return undefined;
    // not copied: the filter of a large file is a share of the memory that counts
    return new KeyFilter(new Uint32Array(content.buffer, content.byteOffset, blocks * BLOCK_WORDS));
  }

  /** Writes the filter and flushes it to the disk. */
  write(path: string): void {
    const content = new Uint8Array(this.#words.buffer, this.#words.byteOffset, this.#words.byteLength);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt32LE(this.#blocks, 4);
    header.writeUInt32LE(crc32(content), 8);
    const file = openSync(path, "w");
    try {
      for (let at = 0; at < header.length; ) at += writeSync(file, header, at);
      for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  add(bytes: Uint8Array, at: number, length: number): void {
    const words = this.#words;
    const { first, second } = hashed(bytes, at, length);
    const block = this.#blockAt(first);
    for (let probe = 0, bits = second; probe < PROBES; probe++, bits = Math.imul(bits, 0x9e37_79b1)) {
      words[block + (bits >>> 28)]! |= 1 << ((bits >>> 23) & 31);
    }
  }

  mayHave(bytes: Uint8Array, at: number, length: number): boolean {
    const words = this.#words;
    const { first, second } = hashed(bytes, at, length);
    const block = this.#blockAt(first);
    for (let probe = 0, bits = second; probe < PROBES; probe++, bits = Math.imul(bits, 0x9e37_79b1)) {
      if ((words[block + (bits >>> 28)]! & (1 << ((bits >>> 23) & 31))) === 0) return false;
    }
    return true;
  }

  #blockAt(hash: number): number {
    return Math.floor((hash / 2 ** 32) * this.#blocks) * BLOCK_WORDS;
  }
}

/** reused: a filter hashes millions of keys a second */
const hash = { first: 0, second: 0 };

/** Two unsigned numbers of 32 bits, made like murmur3's; the second is odd. */
function hashed(bytes: Uint8Array, at: number, length: number): typeof hash {
  let [a, b] = [length, 0x1b87_3593 ^ length];
  const end = at + length;
  for (let index = at; index < end; index += 4) {
    let word = bytes[index]!;
    if (index + 1 < end) word |= bytes[index + 1]! << 8;
    if (index + 2 < end) word |= bytes[index + 2]! << 16;
    if (index + 3 < end) word |= bytes[index + 3]! << 24;
    a = Math.imul(a ^ word, 0xcc9e_2d51);
    a = (a << 15) | (a >>> 17);
    b = Math.imul(b + word, 0x85eb_ca6b);
    b ^= b >>> 13;
  }
  hash.first = mixed(a ^ b) >>> 0;
  hash.second = (mixed(b + Math.imul(a, 5)) | 1) >>> 0;
  return hash;
}

function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2_ae35);
  return mix ^ (mix >>> 16);
}
