/** Random changes of recorded bytes, determined by a seed. */

/** Mulberry32: small, and good enough to choose where bytes change. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}

/** Values at which arithmetic, dates and lengths break. */
const EDGES = [1, 4, 8].flatMap((length) => ["00", "01", "7f", "80", "ff"].map((first) => edge(first, length)));

/** `01` is 1; every other is filled up with ones or zeros: 0, 2^63 - 1, 2^63, 2^64 - 1. */
function edge(first: string, length: number): Buffer {
  if (first === "01") return Buffer.of(...new Array<number>(length - 1).fill(0), 1);
  return Buffer.of(Number.parseInt(first, 16), ...new Array<number>(length - 1).fill(first === "7f" || first === "ff" ? 0xff : 0));
}

/** The input with one to three changes: edge values, single bits, type IDs, bytes that are missing or doubled. */
export function mutate(input: Uint8Array, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(input);
  for (let changes = 1 + random.below(3); changes > 0; changes--) bytes = change(bytes, random);
  return bytes;
}

function change(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  switch (random.below(6)) {
    case 0:
      return overwrite(bytes, at, Buffer.of(bytes[at]! ^ (1 << random.below(8))));
    case 1:
      return overwrite(bytes, at, Buffer.of(0, 0, 0, random.below(48)));
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(40))]);
    case 3: {
      const end = Math.min(bytes.length, at + 1 + random.below(120));
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at, end), bytes.subarray(end)]);
    }
    default:
      return overwrite(bytes, at, random.of(EDGES));
  }
}

function overwrite(bytes: Buffer, at: number, value: Buffer): Buffer {
  value.copy(bytes, at);
  return bytes;
}
