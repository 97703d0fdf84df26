/**
 * Tells where a request's body ends, from its bytes alone and as node:http's parser reads them: bytes behind it belong to the next request.
 * The parser refuses anything that is not well-formed.
 */
import type { IncomingMessage } from "node:http";

export interface BodyLength {
  /** Whether its trailers are longer than `MOST_OF_TRAILERS`. */
  readonly hasLongTrailers: boolean;
  /** Returns how many of these bytes to parse next as parts of the body; 0 behind its end. */
  take(bytes: Uint8Array): number;
}

/** In bytes, with the empty line behind them. Go's server refuses longer ones too. The parser would copy and keep a megabyte. */
export const MOST_OF_TRAILERS = 4096;

export function bodyLengthOf({ headers }: IncomingMessage): BodyLength {
  return "transfer-encoding" in headers ? new ChunkedBody() : new CountedBody(Number(headers["content-length"] ?? 0));
}

class CountedBody implements BodyLength {
  readonly hasLongTrailers = false;
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  take({ length }: Uint8Array): number {
    const taken = Math.min(this.#left, length);
    this.#left -= taken;
    return taken;
  }
}

/** Parsing this many bytes of one-byte chunks takes a millisecond. */
const MOST_AT_ONCE = 16 << 10;
const LF = 10;
/** behind a chunk's data, in bytes */
const LINE_BREAK = 2;

export class ChunkedBody implements BodyLength {
  #state: "size" | "extension" | "data" | "trailers" | "over" = "size";
  /** of the chunk whose size is being read */
  #size = 0;
  /** bytes of the chunk, and of the line break behind it, that are still to come */
  #left = 0;
  /** bytes of the trailers, and of their last line, so far */
  #trailers = 0;
  #line = 0;

  get hasLongTrailers(): boolean {
    return this.#trailers > MOST_OF_TRAILERS;
  }

  take(bytes: Uint8Array): number {
    const most = Math.min(bytes.length, MOST_AT_ONCE);
    let at = 0;
    while (at < most && this.#state !== "over") {
      if (this.#state === "size") this.#takeOfSize(bytes[at++]!);
      else if (this.#state === "data") at += this.#takeOfData(most - at);
      else at += this.#takeOfLine(bytes, at, most);
    }
    return at;
  }

  #takeOfSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== undefined) this.#size = this.#size * 16 + digit;
    else if (byte === LF) this.#endSize();
    else this.#state = "extension";
  }

  #endSize(): void {
    this.#state = this.#size === 0 ? "trailers" : "data";
    this.#left = this.#size + LINE_BREAK;
    this.#size = 0;
  }

  #takeOfData(length: number): number {
    const taken = Math.min(this.#left, length);
    this.#left -= taken;
    if (this.#left === 0) this.#state = "size";
    return taken;
  }

  #takeOfLine(bytes: Uint8Array, from: number, most: number): number {
    const found = bytes.indexOf(LF, from);
    const endsLine = found !== -1 && found < most;
    const taken = (endsLine ? found + 1 : most) - from;
    if (this.#state === "trailers") this.#takeOfTrailers(taken, endsLine);
    else if (endsLine) this.#endSize();
    return taken;
  }

  #takeOfTrailers(length: number, endsLine: boolean): void {
    this.#trailers += length;
    this.#line += length;
    if (!endsLine) return;
    if (this.#line <= LINE_BREAK) this.#state = "over";
    this.#line = 0;
  }
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : undefined;
}
