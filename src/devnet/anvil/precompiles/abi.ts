/** The parts of Solidity's ABI that precompiles answer with: words of 32 bytes. */

const WORD = 32;

export function word(value: bigint | number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * WORD, "0"), "hex");
}

/** The last bytes of a value, filled with zeros on the left. */
export function rightAligned(value: Uint8Array, bytes = WORD): Buffer {
  const aligned = Buffer.alloc(WORD);
  const kept = value.subarray(Math.max(0, value.length - bytes));
  aligned.set(kept, WORD - kept.length);
  return aligned;
}

/** Bytes of any length: the length, then the bytes, filled with zeros. */
export function dynamicBytes(value: Uint8Array): Buffer {
  const filled = Buffer.alloc(Math.ceil(value.length / WORD) * WORD);
  filled.set(value);
  return Buffer.concat([word(value.length), filled]);
}
