/** Random numbers that are determined by a seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A random number of 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** 0 to count − 1 */
  below(count: number): number {
    return this.next() % count;
  }

  /** Like `below`, but small numbers are more frequent: few accounts and tokens are busy, most are not. */
  skewed(count: number): number {
    return Math.floor(count * (this.next() / 2 ** 32) ** 3);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** Without 0x. */
  hex(bytes: number): string {
    let digits = "";
    while (digits.length < bytes * 2) digits += this.next().toString(16).padStart(8, "0");
    return digits.slice(0, bytes * 2);
  }
}
