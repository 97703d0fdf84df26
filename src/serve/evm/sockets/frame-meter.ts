/**
 * Follows the frames of a client (RFC 6455, section 5.2) as far as it takes to know what they hold in memory until their message is complete.
 * The library that reads them says only when it is.
 */

const [FIN, CONTROL, LENGTH] = [0x80, 0x08, 0x7f];
const [LENGTH_16, LENGTH_64] = [126, 127];
/** Frames of clients are masked. */
const MASK_BYTES = 4;
/** what a fragment, or a packet of one, takes besides its bytes */
const PIECE_BYTES = 512;

export class FrameMeter {
  /** bytes of the present frame's header, as far as they have come */
  #header: number[] = [];
  /** bytes of its payload that are still to come */
  #left = 0;
  #isControl = false;
  #isLast = false;
  /** what the unfinished message holds */
  #held = 0;

  /**
   * A fragment of one byte keeps the packet that it came in, and so does what is left of a frame. A frame of control holds nothing.
   * @returns bytes that the client's frames hold now
   */
  read(packet: Uint8Array): number {
    let pieces = this.#left > 0 && !this.#isControl ? 1 : 0;
    for (let at = 0; at < packet.length; ) {
      if (this.#left === 0) {
        this.#header.push(packet[at++]!);
        if (!this.#begins()) continue;
        if (!this.#isControl) pieces++;
      }
      const taken = Math.min(this.#left, packet.length - at);
      this.#left -= taken;
      at += taken;
      if (this.#left === 0 && this.#isLast && !this.#isControl) [this.#held, pieces] = [0, 0];
    }
    if (pieces > 0) this.#held += packet.length + pieces * PIECE_BYTES;
    const isCut = this.#header.length > 0 || (this.#left > 0 && this.#isControl);
    return this.#held + (isCut && pieces === 0 ? Math.max(packet.length, this.#header.length) : 0);
  }

  /** Whether the header is complete: then the frame has begun. */
  #begins(): boolean {
    const [first = 0, second = 0, ...more] = this.#header;
    const length = second & LENGTH;
    const lengthBytes = length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0;
    if (this.#header.length < 2 + lengthBytes + MASK_BYTES) return false;
    this.#header = [];
    this.#isLast = (first & FIN) !== 0;
    this.#isControl = (first & CONTROL) !== 0;
    this.#left = lengthBytes === 0 ? length : more.slice(0, lengthBytes).reduce((sum, byte) => 256 * sum + byte, 0);
    return true;
  }
}
