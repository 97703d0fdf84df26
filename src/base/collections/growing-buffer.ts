/** Collects bytes that arrive in pieces of any size. A million one-byte pieces take a million bytes, not a million buffers. */

const FIRST_BYTES = 1024;
const EMPTY = Buffer.alloc(0);

export class GrowingBuffer {
  #bytes = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length, FIRST_BYTES));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
