/**
 * The body of an answer while it arrives. A small one is parsed at once, a large one as a stream. Its memory counts against the budget of
 * all answers.
 */

import { JsonReader } from "../../base/json/json-reader.ts";
import type { AnswerShare } from "./answer-memory.ts";
import { ReplyReader } from "./reply-reader.ts";
import type { RpcCall } from "./upstream-rpc.ts";

/**
 * Background work that no request waits for, in slices of a few milliseconds. Between slices the event loop reads from clients and requests
 * get their turns. Users of one instance take slices one after the other.
 */
const SLICE_MS = 4;

export class Slices {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #startedAt = 0;
  /** whether a slice has begun in this iteration of the event loop */
  #isTaken = false;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Call this right before a piece of work. Returns a promise if it must wait for the next slice. */
  turn(): Promise<void> | undefined {
    if (!this.#isTaken) {
      this.#begin();
      return undefined;
    }
    if (this.#waiting.length === 0 && this.#now() - this.#startedAt < SLICE_MS) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    this.#isTaken = true;
    this.#startedAt = this.#now();
    setImmediate(this.#goOn);
  }

  readonly #goOn = () => {
    const next = this.#waiting.shift();
    this.#isTaken = false;
    if (next === undefined) return;
    this.#begin();
    next();
  };
}

const MIB = 2 ** 20;
/** Up to this size, JSON.parse takes at most about 20 MB and a moment, whatever the text is. */
const COUNTED_FROM = MIB;
/** Larger answers are parsed as a stream. */
const STREAMED_FROM = 8 * MIB;
/** Most values of an answer that JSON.parse gets. */
const MOST_VALUES = 250_000;
/**
 * Bytes of memory for each byte of the text while it is parsed: the buffer, the string, and the values. Measured: 3.7 to 4.2 for what nodes
 * answer.
 */
const PARSED = 4;
/** additional bytes for each value; an empty object or list takes as much */
const VALUE_BYTES = 48;

/** The EVM nests 1024 calls, each of them an object in a list. */
const JSON_LIMITS = { maxDepth: 2200, maxTextBytes: 64 * MIB };

/** Longer answers are read in slices, so that the process can serve others meanwhile. */
const SLICED_FROM = MIB / 4;
const slices = new Slices();

const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

export class AnswerBody {
  readonly #share: AnswerShare;
  readonly #replies: ReplyReader;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #values = 0;
  #reader: JsonReader | undefined;

  /** @param callOf see ReplyReader */
  constructor(share: AnswerShare, callOf: (id: unknown) => RpcCall | undefined) {
    this.#share = share;
    this.#replies = new ReplyReader(callOf);
  }

  /** received so far */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when more can be written. Throws or rejects with a JsonError if the text is not JSON or holds too much. */
  write(chunk: Buffer): Promise<void> | undefined {
    this.#bytes += chunk.length;
    return this.#bytes > SLICED_FROM ? this.#takeInSlice(chunk) : this.#take(chunk);
  }

  /** Await it before `end`. */
  turnToEnd(): Promise<void> | undefined {
    return this.#bytes > SLICED_FROM ? slices.turn() : undefined;
  }

  async #takeInSlice(chunk: Buffer): Promise<void> {
    const turn = slices.turn();
    if (turn !== undefined) await turn;
    if (this.#reader === undefined && this.#bytes > STREAMED_FROM) await this.#stream();
    await this.#take(chunk);
  }

  #take(chunk: Buffer): Promise<void> | undefined {
    if (this.#reader !== undefined) {
      this.#reader.write(chunk);
      return this.#share.hold(this.#replies.heldBytes);
    }
    this.#chunks.push(chunk);
    if (this.#bytes > COUNTED_FROM) this.#count(chunk);
    const held = this.#share.hold(this.#bytes * PARSED + this.#values * VALUE_BYTES);
    return this.#values > MOST_VALUES ? this.#stream() : held;
  }

  /** Returns the parsed answer. Throws a JsonError or a SyntaxError. */
  end(): unknown {
    if (this.#reader === undefined) return JSON.parse(this.#text());
    this.#reader.end();
    return this.#replies.answer();
  }

  /** The whole text in memory that threads share; undefined if it is read as a stream. */
  shared(): Uint8Array | undefined {
    if (this.#reader !== undefined) return undefined;
    const bytes = Buffer.from(new SharedArrayBuffer(this.#bytes));
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [bytes];
    return bytes;
  }

  /** The beginning of the answer, for people. */
  get beginning(): string {
    return this.#reader === undefined ? this.#text().slice(0, 80) : "(a long text)";
  }

  #text(): string {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#bytes)];
    return this.#chunks[0]?.toString("utf8") ?? "";
  }

  /** Counts the bytes that precede each value but the first. */
  #count(chunk: Buffer): void {
    const [first] = this.#chunks;
    // earlier chunks, which were too small to count
    const counted = this.#values === 0 && first !== chunk ? this.#chunks : [chunk];
    for (const each of counted) {
      for (const byte of [COMMA, BRACKET, BRACE]) {
        // there are few of them in long texts of hex
        for (let at = each.indexOf(byte); at !== -1; at = each.indexOf(byte, at + 1)) this.#values++;
      }
    }
  }

  /** Switches to streaming. What has already arrived is read first. */
  async #stream(): Promise<void> {
    const reader = new JsonReader(this.#replies, JSON_LIMITS);
    this.#reader = reader;
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) {
      const turn = slices.turn();
      if (turn !== undefined) await turn;
      reader.write(chunk);
    }
    await this.#share.hold(this.#replies.heldBytes);
  }
}
