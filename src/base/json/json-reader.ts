/**
 * Reads JSON piece by piece as it arrives, so that what is not needed is never in memory. For the texts that are needed it agrees with
 * JSON.parse. Long texts are skipped by a native search. Everything else takes several times as long as JSON.parse, so use it for large
 * answers only.
 */
import { JsonError, type JsonEvents, LongText, SKIPPED, WHOLE } from "./json-events.ts";

interface JsonLimits {
  readonly maxDepth: number;
  /** for one text that is needed in full */
  readonly maxTextBytes: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** texts up to this length are searched here, since calling the native search costs as much */
const SHORT = 96;
/** most characters of a number */
const LONGEST_SCALAR = 1100;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in texts
const CONTROL = /[\u0000-\u001f]/;

type State = "value" | "first-element" | "first-key" | "key" | "colon" | "after" | "string" | "scalar" | "end";

export class JsonReader {
  readonly #events: JsonEvents;
  readonly #limits: JsonLimits;
  #state: State = "value";
  /** for each open container, whether it is an object */
  readonly #open: boolean[] = [];
  /** bytes needed of the texts in each open container, and of the next value */
  readonly #wantedIn: number[] = [];
  #wanted = WHOLE;
  /** depth of the container whose member is being skipped; -1: nothing is skipped */
  #skippedAt = -1;
  #isKey = false;
  #isEscaped = false;
  #hasEscapes = false;
  /** the current text or scalar: its parts in earlier pieces, and its length so far */
  #parts: Buffer[] = [];
  #length = 0;
  /** position of the next backslash in the piece */
  #slashAt = 0;

  constructor(events: JsonEvents, limits: JsonLimits) {
    this.#events = events;
    this.#limits = limits;
  }

  /** Throws a JsonError, or what the events throw. */
  write(piece: Buffer): void {
    this.#slashAt = -1;
    for (let at = 0; at < piece.length; ) {
      if (this.#state === "string") at = this.#readString(piece, at);
      else if (this.#state === "scalar") at = this.#readScalar(piece, at);
      else this.#take(piece[at++]!);
    }
  }

  /** Call it after the last piece. */
  end(): void {
    if (this.#state === "scalar" && this.#open.length === 0) this.#endScalar();
    if (this.#state !== "end") throw new JsonError("the JSON ends too early");
  }

  #take(byte: number): void {
    if (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) return;
    const state = this.#state;
    switch (byte) {
      case QUOTE:
        this.#startString(state);
        break;
      case 0x2c:
        if (state !== "after") throw unexpected(byte);
        this.#state = this.#open.at(-1) ? "key" : "value";
        this.#wanted = this.#wantedIn.at(-1)!;
        break;
      case 0x3a:
        if (state !== "colon") throw unexpected(byte);
        this.#state = "value";
        break;
      case 0x7b:
      case 0x5b:
        this.#startContainer(byte, state);
        break;
      case 0x7d:
      case 0x5d:
        this.#endContainer(byte, state);
        break;
      default:
        if (state !== "value" && state !== "first-element") throw unexpected(byte);
        this.#state = "scalar";
        this.#parts = [Buffer.of(byte)];
        this.#length = 1;
    }
  }

  #startString(state: State): void {
    this.#isKey = state === "first-key" || state === "key";
    if (!this.#isKey && state !== "value" && state !== "first-element") throw unexpected(QUOTE);
    this.#state = "string";
    this.#parts = [];
    this.#length = 0;
    this.#hasEscapes = false;
  }

  #startContainer(byte: number, state: State): void {
    if (state !== "value" && state !== "first-element") throw unexpected(byte);
    const isObject = byte === 0x7b;
    if (this.#open.push(isObject) > this.#limits.maxDepth) {
      throw new JsonError(`the JSON is nested deeper than ${this.#limits.maxDepth}`, { isTooLarge: true });
    }
    this.#wantedIn.push(this.#wanted);
    this.#state = isObject ? "first-key" : "first-element";
    if (this.#skippedAt !== -1) return;
    if (isObject) this.#events.startObject();
    else this.#events.startArray();
  }

  #endContainer(byte: number, state: State): void {
    const isObject = byte === 0x7d;
    const isRight = this.#open.length > 0 && this.#open.at(-1) === isObject;
    if (!isRight || (state !== "after" && state !== (isObject ? "first-key" : "first-element"))) throw unexpected(byte);
    this.#open.pop();
    this.#wantedIn.pop();
    if (this.#skippedAt === -1) {
      if (isObject) this.#events.endObject();
      else this.#events.endArray();
    }
    this.#endValue();
  }

  #endValue(): void {
    if (this.#skippedAt === this.#open.length) this.#skippedAt = -1;
    this.#state = this.#open.length === 0 ? "end" : "after";
  }

  /** Returns the position at which to continue. */
  #readString(piece: Buffer, start: number): number {
    let at = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at++;
    }
    for (let quote = this.#endOfString(piece, at); ; quote = this.#endOfString(piece, at)) {
      const slash = this.#nextSlash(piece, at);
      if (slash >= quote) {
        this.#length += quote - start;
        if (quote < piece.length) this.#endString(piece, start, quote);
        else if (this.#length <= this.#wantedLength) this.#parts.push(piece.subarray(start));
        return quote + 1;
      }
      this.#hasEscapes = true;
      at = slash + 2;
      if (at > piece.length) this.#isEscaped = true;
    }
  }

  /** Returns the position of the closing quote; the length of the piece if the text continues in the next one. */
  #endOfString(piece: Buffer, from: number): number {
    const near = Math.min(from + SHORT, piece.length);
    for (let at = from; at < near; at++) if (piece[at] === QUOTE) return at;
    if (near === piece.length) return piece.length;
    const found = piece.indexOf(QUOTE, near);
    return found === -1 ? piece.length : found;
  }

  #nextSlash(piece: Buffer, from: number): number {
    if (this.#slashAt < from) {
      const found = piece.indexOf(BACKSLASH, from);
      this.#slashAt = found === -1 ? piece.length : found;
    }
    return this.#slashAt;
  }

  get #wantedLength(): number {
    if (this.#skippedAt !== -1) return 0;
    return this.#isKey || this.#wanted === WHOLE ? this.#limits.maxTextBytes : this.#wanted;
  }

  #tooLong(): JsonError {
    return new JsonError(`the JSON has a text of more than ${this.#limits.maxTextBytes} bytes`, { isTooLarge: true });
  }

  #endString(piece: Buffer, start: number, end: number): void {
    const isWanted = this.#skippedAt === -1 && this.#length <= this.#wantedLength;
    if (!isWanted && this.#isKey && this.#skippedAt === -1) throw this.#tooLong();
    const text = isWanted ? this.#text(piece, start, end) : "";
    if (this.#isKey) {
      this.#state = "colon";
      this.#wanted = this.#skippedAt === -1 ? this.#events.key(text) : SKIPPED;
      if (this.#skippedAt === -1 && this.#wanted === SKIPPED) this.#skippedAt = this.#open.length;
      return;
    }
    if (!isWanted && this.#skippedAt === -1 && this.#wanted === WHOLE) throw this.#tooLong();
    if (this.#skippedAt === -1) this.#events.value(isWanted ? text : new LongText(this.#length));
    this.#endValue();
  }

  #text(piece: Buffer, start: number, end: number): string {
    const text =
      this.#parts.length === 0
        ? piece.toString("utf8", start, end)
        : Buffer.concat([...this.#parts, piece.subarray(start, end)]).toString("utf8");
    if (CONTROL.test(text)) throw new JsonError("the JSON has a control character in a text");
    if (!this.#hasEscapes) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw new JsonError("the JSON has an invalid escape in a text");
    }
  }

  #readScalar(piece: Buffer, start: number): number {
    let at = start;
    while (at < piece.length && !endsScalar(piece[at]!)) at++;
    this.#length += at - start;
    if (this.#length > LONGEST_SCALAR) throw new JsonError(`the JSON has a number of more than ${LONGEST_SCALAR} digits`);
    this.#parts.push(piece.subarray(start, at));
    if (at < piece.length) this.#endScalar();
    return at;
  }

  #endScalar(): void {
    const text = Buffer.concat(this.#parts).toString("latin1");
    const value = text === "null" ? null : text === "true" ? true : text === "false" ? false : NUMBER.test(text) ? Number(text) : undefined;
    if (value === undefined) throw new JsonError(`the JSON has ${JSON.stringify(text.slice(0, 20))} where a value belongs`);
    if (this.#skippedAt === -1) this.#events.value(value);
    this.#endValue();
  }
}

function endsScalar(byte: number): boolean {
  return byte === 0x2c || byte === 0x5d || byte === 0x7d || byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function unexpected(byte: number): JsonError {
  return new JsonError(`the JSON has ${JSON.stringify(String.fromCharCode(byte))} where it does not belong`);
}
