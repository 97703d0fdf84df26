/** Checks the syntax of the first JSON value of a text, with Go's limits and error texts (measured 1.6). */
import { quoteCharacter } from "../primitives/go-text.ts";

/** Where the value is, or what Go says is wrong. */
export type Scanned = { start: number; end: number; error?: undefined } | { start: number; end: number; error: string };

/** Deepest nesting that Go reads. */
const MAX_DEPTH = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Marks a syntax error inside the scanner; carries Go's text. */
class ScanError extends Error {}

export function scanValue(text: string, from: number): Scanned {
  const scanner = new Scanner(text, from);
  const start = scanner.skipSpace();
  try {
    if (start === text.length) throw new ScanError("EOF");
    scanner.value();
    return { start, end: scanner.at };
  } catch (error) {
    if (error instanceof ScanError) return { start, end: scanner.at, error: error.message };
    throw error;
  }
}

class Scanner {
  readonly #text: string;
  at: number;

  constructor(text: string, from: number) {
    this.#text = text;
    this.at = from;
  }

  skipSpace(): number {
    for (;;) {
      const c = this.#text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return this.at;
      this.at++;
    }
  }

  /** One value. Nesting is held in a list, not in the call stack: 10,000 levels are legal. */
  value(): void {
    const open: number[] = [];
    for (;;) {
      const c = this.#begin();
      if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        if (open.push(c) > MAX_DEPTH) this.#fail("exceeded max depth");
        this.at++;
        this.skipSpace();
        if (this.#text.charCodeAt(this.at) !== (c === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) {
          if (c === OPEN_BRACE) this.#key();
          continue;
        }
        this.at++;
        open.pop();
      } else this.#scalar(c);
      if (this.#afterValue(open)) return;
    }
  }

  /** Closes what ends here and moves to the next element or member; true if the whole value is read. */
  #afterValue(open: number[]): boolean {
    while (open.length > 0) {
      this.skipSpace();
      const c = this.#text.charCodeAt(this.at);
      const isObject = open[open.length - 1] === OPEN_BRACE;
      if (c === COMMA) {
        this.at++;
        this.skipSpace();
        if (isObject) this.#key();
        return false;
      }
      if (c !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) this.#fail(isObject ? "after object key:value pair" : "after array element");
      this.at++;
      open.pop();
    }
    return true;
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
    for (;;) {
      const c = this.#text.charCodeAt(++this.at);
      if (c === QUOTE) break;
      if (c === BACKSLASH) this.#escape();
      else if (!(c >= 0x20)) this.#fail("in string literal");
    }
    this.at++;
  }

  #escape(): void {
    const c = this.#text[++this.at];
    if (c === "u") {
      for (let digit = 0; digit < 4; digit++) {
        const hex = this.#text[++this.at];
        if (hex === undefined || !/[0-9a-fA-F]/.test(hex)) this.#fail("in \\u hexadecimal character escape");
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
