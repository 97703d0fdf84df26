/** Checks the syntax of the first JSON value of a text, with Go's limits and error texts (rpc-platform 1.5). */

import { quoteCharacter } from "../text/go-text.ts";
import { LimitError } from "../work/work.ts";

/** The position of the value, or Go's error text. */
interface Scanned {
  readonly start: number;
  readonly end: number;
  readonly error?: string;
  /** end positions of long objects and arrays by their start positions, so that they need not be scanned again */
  readonly ends: ReadonlyMap<number, number>;
}

/** The deepest nesting that Go accepts. */
const MAX_DEPTH = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Longer values are not scanned twice. */
const LONG = 256;
/** Characters between two pauses: about a quarter of a millisecond. */
const PIECE = 16_384;

/** Characters of a string that need no escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a string must not hold
const PLAIN_TEXT = /[^"\\\x00-\x1f]*/y;
const HEX_DIGIT = /[0-9a-fA-F]/;

/** Marks a syntax error inside the scanner; the message is Go's. */
class ScanError extends Error {}

/** Finds the first value of a text, and yields between pieces of a long one. @param maxValues limit on members and elements */
export function* scanSteps(text: string, maxValues: number): Generator<void, Scanned> {
  const scanner = new Scanner(text, maxValues);
  const { ends } = scanner;
  const start = scanner.skipSpace();
  try {
    if (start === text.length) throw new ScanError("EOF");
    while (!scanner.advance(scanner.at + PIECE)) yield;
    return { start, end: scanner.at, ends };
  } catch (error) {
    if (error instanceof ScanError) return { start, end: scanner.at, ends, error: error.message };
    throw error;
  }
}

class Scanner {
  readonly #text: string;
  readonly #maxValues: number;
  readonly ends = new Map<number, number>();
  /** Start positions of open containers. A list instead of the call stack, because 10,000 levels are legal. */
  readonly #open: number[] = [];
  #values = 0;
  at = 0;

  constructor(text: string, maxValues: number) {
    this.#text = text;
    this.#maxValues = maxValues;
  }

  skipSpace(): number {
    for (;;) {
      const c = this.#text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return this.at;
      this.at++;
    }
  }

  /** Reads on until the position is after `until` or the value ends; returns true if the whole value was read. */
  advance(until: number): boolean {
    do {
      if (this.#value() && this.#afterValue()) return true;
    } while (this.at < until);
    return false;
  }

  /** Reads a scalar or an empty container and returns true; or enters a container, after which a value must follow, and returns false. */
  #value(): boolean {
    if (++this.#values > this.#maxValues) {
      throw new LimitError("jsonValues", `the request has more than ${this.#maxValues} members and elements; send less at a time`);
    }
    const c = this.#begin();
    if (c !== OPEN_BRACE && c !== OPEN_BRACKET) {
      this.#scalar(c);
      return true;
    }
    if (this.#open.push(this.at) > MAX_DEPTH) this.#fail("exceeded max depth");
    this.at++;
    this.skipSpace();
    if (this.#text.charCodeAt(this.at) !== (c === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) {
      if (c === OPEN_BRACE) this.#key();
      return false;
    }
    this.#close();
    return true;
  }

  /** Closes containers that end here and moves to the next element or member; returns true if the whole value was read. */
  #afterValue(): boolean {
    while (this.#open.length > 0) {
      this.skipSpace();
      const c = this.#text.charCodeAt(this.at);
      const isObject = this.#text.charCodeAt(this.#open[this.#open.length - 1]!) === OPEN_BRACE;
      if (c === COMMA) {
        this.at++;
        this.skipSpace();
        if (isObject) this.#key();
        return false;
      }
      if (c !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) this.#fail(isObject ? "after object key:value pair" : "after array element");
      this.#close();
    }
    return true;
  }

  #close(): void {
    this.at++;
    const start = this.#open.pop()!;
    if (this.at - start > LONG) this.ends.set(start, this.at);
  }

  #begin(): number {
    this.skipSpace();
    return this.#text.charCodeAt(this.at);
  }

  #key(): void {
    if (this.#text.charCodeAt(this.at) !== QUOTE) this.#fail("looking for beginning of object key string");
    this.#string();
    this.skipSpace();
    if (this.#text.charCodeAt(this.at) !== COLON) this.#fail("after object key");
    this.at++;
  }

  #scalar(c: number): void {
    if (c === QUOTE) this.#string();
    else if (c === 0x2d || isDigit(c)) this.#number();
    else if (c === 0x74) this.#literal("true");
    else if (c === 0x66) this.#literal("false");
    else if (c === 0x6e) this.#literal("null");
    else this.#fail("looking for beginning of value");
  }

  #literal(word: string): void {
    for (let index = 1; index < word.length; index++) {
      this.at++;
      if (this.#text[this.at] !== word[index]) this.#fail(`in literal ${word} (expecting '${word[index]}')`);
    }
    this.at++;
  }

  #string(): void {
    this.at++;
    for (;;) {
      PLAIN_TEXT.lastIndex = this.at;
      PLAIN_TEXT.test(this.#text);
      this.at = PLAIN_TEXT.lastIndex;
      const c = this.#text.charCodeAt(this.at);
      if (c === QUOTE) break;
      if (c !== BACKSLASH) this.#fail("in string literal");
      this.#escape();
      this.at++;
    }
    this.at++;
  }

  #escape(): void {
    const c = this.#text[++this.at];
    if (c === "u") {
      for (let digit = 0; digit < 4; digit++) {
        const hex = this.#text[++this.at];
        if (hex === undefined || !HEX_DIGIT.test(hex)) this.#fail("in \\u hexadecimal character escape");
      }
    } else if (c === undefined || !'"\\/bfnrt'.includes(c)) this.#fail("in string escape code");
  }

  #number(): void {
    if (this.#text.charCodeAt(this.at) === 0x2d) {
      this.at++;
      if (!isDigit(this.#text.charCodeAt(this.at))) this.#fail("in numeric literal");
    }
    if (this.#text.charCodeAt(this.at) === 0x30) this.at++;
    else this.#digits();
    if (this.#text.charCodeAt(this.at) === 0x2e) {
      this.at++;
      if (!isDigit(this.#text.charCodeAt(this.at))) this.#fail("after decimal point in numeric literal");
      this.#digits();
    }
    if ((this.#text.charCodeAt(this.at) | 0x20) === 0x65) {
      this.at++;
      const sign = this.#text.charCodeAt(this.at);
      if (sign === 0x2b || sign === 0x2d) this.at++;
      if (!isDigit(this.#text.charCodeAt(this.at))) this.#fail("in exponent of numeric literal");
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#text.charCodeAt(this.at))) this.at++;
  }

  #fail(context: string): never {
    if (this.at >= this.#text.length) throw new ScanError("unexpected EOF");
    throw new ScanError(`invalid character ${quoteCharacter(this.#text[this.at]!)} ${context}`);
  }
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}
