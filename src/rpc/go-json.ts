/**
 * JSON as Go's encoding/json reads it (rpc-platform 1.4–1.5, measured 1.4–1.6): only the first value of a body counts, syntax errors have
 * Go's words, keys match case-insensitively, and raw tokens stay available, since IDs, integers and encodings are read from them.
 *
 * Text is held as latin1, one character per byte: nothing is lost of bodies that are not valid UTF-8, and Go's messages quote bytes.
 */
import { FirnError } from "../primitives/errors.ts";
import { scanValue } from "./go-json-scanner.ts";
import { unquote } from "./go-json-string.ts";

/** A body that is not JSON, or whose top-level members have the wrong types. `message` is Go's. */
export class JsonError extends FirnError {
  constructor(message: string) {
    super("json", message);
  }
}

export type JsonKind = "object" | "array" | "string" | "number" | "bool" | "null";

/** A value inside a text whose syntax was checked. */
export class JsonToken {
  readonly source: string;
  readonly start: number;
  readonly end: number;

  constructor(source: string, start: number, end: number) {
    this.source = source;
    this.start = start;
    this.end = end;
  }

  /** The first value of a body. Throws JsonError with Go's text. */
  static first(source: string): JsonToken {
    const { start, end, error } = scanValue(source, 0);
    if (error !== undefined) throw new JsonError(error);
    return new JsonToken(source, start, end);
  }

  get kind(): JsonKind {
    switch (this.source.charCodeAt(this.start)) {
      case 0x7b:
        return "object";
      case 0x5b:
        return "array";
      case 0x22:
        return "string";
      case 0x74:
      case 0x66:
        return "bool";
      case 0x6e:
        return "null";
      default:
        return "number";
    }
  }

  /** The token as it was sent. */
  get raw(): string {
    return this.source.slice(this.start, this.end);
  }

  /** Value of a string token. */
  get text(): string {
    return unquote(this.source, this.start, this.end);
  }

  /** Members of an object token, in order, duplicates included. */
  members(visit: (name: string, value: JsonToken) => void): void {
    const { source } = this;
    let at = skipSpace(source, this.start + 1);
    while (source.charCodeAt(at) !== 0x7d) {
      const keyEnd = endOfString(source, at);
      const name = unquote(source, at, keyEnd);
      const valueStart = skipSpace(source, skipSpace(source, keyEnd) + 1);
      const valueEnd = endOfValue(source, valueStart);
      visit(name, new JsonToken(source, valueStart, valueEnd));
      at = skipSpace(source, valueEnd);
      if (source.charCodeAt(at) === 0x2c) at = skipSpace(source, at + 1);
    }
  }

  /** Elements of an array token. */
  elements(): JsonToken[] {
    const { source } = this;
    const tokens: JsonToken[] = [];
    let at = skipSpace(source, this.start + 1);
    while (source.charCodeAt(at) !== 0x5d) {
      const end = endOfValue(source, at);
      tokens.push(new JsonToken(source, at, end));
      at = skipSpace(source, end);
      if (source.charCodeAt(at) === 0x2c) at = skipSpace(source, at + 1);
    }
    return tokens;
  }
}

/** Go's fold for names that are ASCII: upper case, the Kelvin sign as K and the long s as S. */
export function foldName(name: string): string {
  return name.toUpperCase().replaceAll("\u212a", "K");
}

function skipSpace(source: string, from: number): number {
  let at = from;
  for (;;) {
    const c = source.charCodeAt(at);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return at;
    at++;
  }
}

/** Position after the string that begins at `from`. */
function endOfString(source: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const c = source.charCodeAt(at);
    if (c === 0x22) return at + 1;
    at += c === 0x5c ? 2 : 1;
  }
}

/** Position after the value that begins at `from`; the syntax is known to be right. */
function endOfValue(source: string, from: number): number {
  const first = source.charCodeAt(from);
  if (first === 0x22) return endOfString(source, from);
  let at = from;
  if (first !== 0x7b && first !== 0x5b) {
    while (at < source.length && !endsScalar(source.charCodeAt(at))) at++;
    return at;
  }
  let depth = 0;
  for (;;) {
    const c = source.charCodeAt(at);
    if (c === 0x22) {
      at = endOfString(source, at);
      continue;
    }
    at++;
    if (c === 0x7b || c === 0x5b) depth++;
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return at;
  }
}

function endsScalar(c: number): boolean {
  return c === 0x2c || c === 0x7d || c === 0x5d || c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}
