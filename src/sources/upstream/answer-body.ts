/**
 * The body of an answer while it arrives. A small one is parsed at once, a large one as a stream. Its memory counts against the budget of
 * all answers.
 */

import { type AnswerReader, type JsonEvents, type JsonScalar, SKIPPED, WHOLE } from "../../base/json/json-events.ts";
import { JsonReader } from "../../base/json/json-reader.ts";
import { JsonValue } from "../../base/json/json-value.ts";
import type { AnswerShare } from "./answer-memory.ts";
import type { Reply } from "./json-rpc-message.ts";
import type { RpcCall } from "./upstream-rpc.ts";

/** for the result of one call */
const MIB = 2 ** 20;
const RESULT_BYTES = 128 * MIB;
const ERROR_BYTES = 8 * MIB;
const ID_BYTES = 200;

/** Ignores the rest of a result that failed. */
const DEAF: AnswerReader = {
  heldBytes: 0,
  startObject() {},
  endObject() {},
  startArray() {},
  endArray() {},
  key: () => SKIPPED,
  value() {},
  result: () => undefined,
};

/**
 * Reads the replies of a message that is too large to parse at once. The reader of each call makes its result, and keeps only what it uses.
 */
class ReplyReader implements JsonEvents {
  readonly #callOf: (id: unknown) => RpcCall | undefined;
  readonly #replies: Reply[] = [];
  #isBatch = false;
  #depth = 0;
  #reply: { -readonly [N in keyof Reply]: Reply[N] } = {};
  #member: "id" | "result" | "error" = "id";
  /** reader of the current member, and the depth within it */
  #inner: AnswerReader | undefined;
  #innerDepth = 0;
  #heldBytes = 0;

  /** @param callOf the call with an ID; for undefined, if a result comes before its ID, the only call of the message */
  constructor(callOf: (id: unknown) => RpcCall | undefined) {
    this.#callOf = callOf;
  }

  get heldBytes(): number {
    return this.#heldBytes + (this.#inner?.heldBytes ?? 0);
  }

  /** What JSON.parse would return, except for results that the readers of calls made. */
  answer(): unknown {
    return this.#isBatch ? this.#replies : this.#replies[0];
  }

  startObject(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.startObject(), 1);
    else if (++this.#depth === (this.#isBatch ? 2 : 1)) this.#reply = {};
  }

  endObject(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.endObject(), -1);
    else if (this.#depth-- === (this.#isBatch ? 2 : 1)) this.#replies.push(this.#reply);
  }

  startArray(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.startArray(), 1);
    else if (this.#depth++ === 0) this.#isBatch = true;
  }

  endArray(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.endArray(), -1);
    else this.#depth--;
  }

  key(name: string): number {
    if (this.#inner !== undefined) return this.#keyOfInner(this.#inner, name);
    const isOfReply = this.#depth === (this.#isBatch ? 2 : 1);
    if (!isOfReply || (name !== "id" && name !== "result" && name !== "error")) return SKIPPED;
    this.#member = name;
    this.#innerDepth = 0;
    this.#inner = name === "result" ? this.#resultReader() : new JsonValue(() => WHOLE, name === "id" ? ID_BYTES : ERROR_BYTES);
    return WHOLE;
  }

  value(value: JsonScalar): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.value(value), 0);
  }

  #resultReader(): AnswerReader {
    return this.#callOf(this.#reply.id)?.reader?.() ?? new JsonValue(() => WHOLE, RESULT_BYTES);
  }

  #keyOfInner(inner: AnswerReader, name: string): number {
    try {
      return inner.key(name);
    } catch (error) {
      this.#giveUp(error);
      return SKIPPED;
    }
  }

  #tell(event: (inner: AnswerReader) => void, deeper: number): void {
    this.#innerDepth += deeper;
    try {
      event(this.#inner!);
      if (this.#innerDepth === 0) this.#endMember();
    } catch (error) {
      this.#giveUp(error);
      if (this.#innerDepth === 0) this.#inner = undefined;
    }
  }

  #endMember(): void {
    const inner = this.#inner!;
    // null is a valid result
    if (inner !== DEAF) this.#reply[this.#member] = inner.result() as never;
    this.#heldBytes += inner.heldBytes;
    this.#inner = undefined;
  }

  /** Skips the rest of the member; other replies of the message are still read. */
  #giveUp(error: unknown): void {
    this.#reply.failure = error;
    this.#inner = DEAF;
  }
}

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

  /** Switches to streaming. The bytes that have already arrived are read first. */
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
