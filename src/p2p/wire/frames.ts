/** Frames of a connection between peers: four bytes of length, big-endian, and so many bytes of a message (p2p.md 3). */
import { P2pError } from "./p2p-error.ts";

/** without the length; a peer that announces more is let go */
export const MAX_FRAME_BYTES = 2 * 2 ** 20;
const LENGTH_BYTES = 4;

export function frameOf(payload: Uint8Array): Buffer {
  if (payload.length > MAX_FRAME_BYTES)
    throw new RangeError(`a message of ${payload.length} bytes; at most ${MAX_FRAME_BYTES} can be sent`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + payload.length);
  frame.writeUInt32BE(payload.length);
  frame.set(payload, LENGTH_BYTES);
  return frame;
}

/** Puts frames together from the pieces in which they arrive. It holds at most one incomplete frame. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** of the frame that arrives; undefined: its length is not there yet */
  #wanted: number | undefined;

  /** bytes of the incomplete frame */
  get heldBytes(): number {
    return this.#bytes;
  }

  /** Yields the messages that are complete with these bytes. Throws a P2pError at a frame that is too long. */
  *take(piece: Buffer): Generator<Buffer> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    for (;;) {
      if (this.#wanted === undefined) {
        if (this.#bytes < LENGTH_BYTES) return;
        this.#wanted = this.#cut(LENGTH_BYTES).readUInt32BE();
        if (this.#wanted > MAX_FRAME_BYTES) {
          throw new P2pError("frame", `it announced a message of ${this.#wanted} bytes; at most ${MAX_FRAME_BYTES} are taken`);
        }
      }
      if (this.#bytes < this.#wanted) return;
      const payload = this.#cut(this.#wanted);
      this.#wanted = undefined;
      yield payload;
    }
  }

  /** Takes the first bytes off; a message in one piece is not copied. */
  #cut(length: number): Buffer {
    const [first] = this.#pieces;
    const whole = this.#pieces.length === 1 || (first !== undefined && first.length >= length) ? first! : Buffer.concat(this.#pieces);
    if (whole !== first) this.#pieces = [whole];
    const taken = whole.subarray(0, length);
    if (whole.length === length) this.#pieces.shift();
    else this.#pieces[0] = whole.subarray(length);
    this.#bytes -= length;
    return taken;
  }
}
