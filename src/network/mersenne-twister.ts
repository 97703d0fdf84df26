/**
 * The 64-bit Mersenne Twister (MT19937-64) as the reference node seeds and reads it. State words are kept as two halves, because
 * arithmetic of bigints would take longer than everything else that a container's check does.
 */
const WORDS = 312;
const MIDDLE = 156;
const MATRIX_HIGH = 0xb5026f5a;
const MATRIX_LOW = 0xa96619e9;
const LOWER_MASK = 0x7fffffff;
/** 6364136223846793005 */
const FACTOR_HIGH = 0x5851f42d;
const FACTOR_LOW = 0x4c957f2d;

export class MersenneTwister64 {
  readonly #high = new Uint32Array(WORDS);
  readonly #low = new Uint32Array(WORDS);
  #next = 0;

  constructor(seed: bigint) {
    this.#high[0] = Number(seed >> 32n);
    this.#low[0] = Number(seed & 0xffffffffn);
    for (let i = 1; i < WORDS; i++) this.#seedWord(i);
  }

  /** Word i is the previous one, x ^ (x >> 62), times the factor, plus i. */
  #seedWord(i: number): void {
    const high = this.#high[i - 1]!;
    const low = (this.#low[i - 1]! ^ (high >>> 30)) >>> 0;
    const product = timesFactor(low);
    const sum = product.low + i;
    this.#low[i] = sum;
    this.#high[i] = product.high + Math.imul(high, FACTOR_LOW) + Math.imul(low, FACTOR_HIGH) + (sum > 0xffffffff ? 1 : 0);
  }

  /** From 0 to 2^64 − 1. A word is made when it is asked for: each needs only later words of the last round and earlier ones of its own. */
  uint64(): bigint {
    const i = this.#next;
    this.#next = (i + 1) % WORDS;
    this.#twist(i);
    return tempered(this.#high[i]!, this.#low[i]!);
  }

  #twist(i: number): void {
    const next = (i + 1) % WORDS;
    const far = (i + MIDDLE) % WORDS;
    // the upper 33 bits of this word, the lower 31 of the next one
    const high = this.#high[i]!;
    const low = ((this.#low[i]! & ~LOWER_MASK) | (this.#low[next]! & LOWER_MASK)) >>> 0;
    const isOdd = (low & 1) === 1;
    this.#low[i] = this.#low[far]! ^ ((low >>> 1) | (high << 31)) ^ (isOdd ? MATRIX_LOW : 0);
    this.#high[i] = this.#high[far]! ^ (high >>> 1) ^ (isOdd ? MATRIX_HIGH : 0);
  }
}

/** The product of a word's lower half and the factor's lower half, in 64 bits. */
function timesFactor(low: number): { high: number; low: number } {
  const [a, b] = [low >>> 16, low & 0xffff];
  const [c, d] = [FACTOR_LOW >>> 16, FACTOR_LOW & 0xffff];
  const lowest = b * d;
  const middle = a * d + (lowest >>> 16);
  const other = b * c + (middle & 0xffff);
  const high = a * c + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000);
  return { high, low: ((other & 0xffff) * 0x10000 + (lowest & 0xffff)) >>> 0 };
}

function tempered(high: number, low: number): bigint {
  let x = (BigInt(high) << 32n) | BigInt(low);
  x ^= (x >> 29n) & 0x5555555555555555n;
  x ^= (x << 17n) & 0x71d67fffeda60000n;
  x ^= (x << 37n) & 0xfff7eee000000000n;
  return x ^ (x >> 43n);
}
