/** Bloom filters by which peers say whose addresses they know (p2p.md 6.2; reference node: utils/bloom). */
import { createHash, randomBytes } from "node:crypto";

const MAX_HASHES = 16;
const SEED_BYTES = 8;
const SALT_BYTES = 32;
const MASK = (1n << 64n) - 1n;
/** of a filter that is full as planned */
const FALSE_POSITIVES = 0.001;
/** at which a filter is made anew */
const MOST_FALSE_POSITIVES = 0.01;
const FEWEST_ENTRIES = 128;

export class BloomFilter {
  readonly #seeds: readonly bigint[];
  readonly #entries: Uint8Array;
  readonly salt: Uint8Array;

  private constructor(seeds: readonly bigint[], entries: Uint8Array, salt: Uint8Array) {
    this.#seeds = seeds;
    this.#entries = entries;
    this.salt = salt;
  }

  /** Reads what a peer sent; undefined if it is no filter. */
  static read(bytes: Uint8Array, salt: Uint8Array): BloomFilter | undefined {
    const hashes = bytes[0] ?? 0;
    const start = 1 + hashes * SEED_BYTES;
    if (hashes < 1 || hashes > MAX_HASHES || bytes.length <= start || salt.length > SALT_BYTES) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const seeds = Array.from({ length: hashes }, (_, i) => view.getBigUint64(1 + i * SEED_BYTES));
    return new BloomFilter(seeds, bytes.slice(start), salt);
  }

  /** An empty filter for so many entries, with seeds and a salt that nobody can foresee. */
  static for(count: number): BloomFilter {
    const { hashes, bytes } = sizeFor(Math.max(count, FEWEST_ENTRIES));
    const seeds = Array.from({ length: hashes }, () => randomBytes(SEED_BYTES).readBigUInt64BE());
    return new BloomFilter(seeds, new Uint8Array(bytes), randomBytes(SALT_BYTES));
  }

  /** @internal of known seeds and salt */
  static of(seeds: readonly bigint[], bytes: number, salt: Uint8Array): BloomFilter {
    return new BloomFilter(seeds, new Uint8Array(bytes), salt);
  }

  add(key: Uint8Array): void {
    for (const bit of this.#bits(key)) this.#entries[bit >> 3]! |= 1 << (bit & 7);
  }

  has(key: Uint8Array): boolean {
    return this.#bits(key).every((bit) => (this.#entries[bit >> 3]! & (1 << (bit & 7))) !== 0);
  }

  /** As peers read it. */
  get bytes(): Buffer {
    const bytes = Buffer.alloc(1 + this.#seeds.length * SEED_BYTES + this.#entries.length);
    bytes[0] = this.#seeds.length;
    for (const [i, seed] of this.#seeds.entries()) bytes.writeBigUInt64BE(seed, 1 + i * SEED_BYTES);
    bytes.set(this.#entries, 1 + this.#seeds.length * SEED_BYTES);
    return bytes;
  }

  /** How many entries it takes before it is made anew. */
  get capacity(): number {
    const [hashes, bits] = [this.#seeds.length, this.#entries.length * 8];
    return Math.ceil((-Math.log(1 - MOST_FALSE_POSITIVES ** (1 / hashes)) * bits) / hashes);
  }

  /** The hash is carried over from seed to seed. */
  #bits(key: Uint8Array): number[] {
    let hash = createHash("sha256").update(key).update(this.salt).digest().readBigUInt64BE();
    const bits = BigInt(this.#entries.length * 8);
    return this.#seeds.map((seed) => {
      hash = (((hash << 17n) | (hash >> 47n)) & MASK) ^ seed;
      return Number(hash % bits);
    });
  }
}

function sizeFor(count: number): { readonly hashes: number; readonly bytes: number } {
  const bytes = Math.floor(((-count * Math.log(FALSE_POSITIVES)) / Math.LN2 ** 2 + 7) / 8);
  const hashes = Math.ceil((bytes * 8 * Math.LN2) / count);
  return { hashes: Math.min(Math.max(hashes, 1), MAX_HASHES), bytes };
}
