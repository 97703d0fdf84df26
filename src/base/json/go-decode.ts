/**
 * Decodes JSON as Go's encoding/json does (rpc-platform 1.4, 1.5): only the first value of a body counts, syntax errors have Go's texts,
 * keys match case-insensitively, and raw tokens stay available, because IDs, integers and encodings are read from them.
 *
 * Text is latin1, one character per byte: bodies that are not valid UTF-8 lose nothing, and Go's messages quote bytes.
 */
import { isUtf8 } from "node:buffer";
import { FirnError } from "../errors/errors.ts";
import { scanSteps } from "./go-scanner.ts";

// Decodes JSON strings as Go does, from latin1 text (one character per byte).

/**
 * The value of the JSON string token `source[start..end)`, which includes the quotes. Bytes that are not UTF-8 and lone surrogates become
 * U+FFFD.
 */
function unquote(source: string, start: number, end: number): string {
  const inner = source.slice(start + 1, end - 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: anything ASCII without an escape stands for itself
  if (/^[\x00-\x5b\x5d-\x7f]*$/.test(inner)) return inner;
  const text = decodeUtf8(inner);
  // The text itself has no surrogates, so lone halves can only come from escapes
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string).replace(/\p{Surrogate}/gu, "\ufffd") : text;
}

/** Decodes bytes (latin1) as UTF-8 like Go's range over a string: each byte that does not begin a valid sequence becomes one U+FFFD. */
function decodeUtf8(latin1: string): string {
  const bytes = Buffer.from(latin1, "latin1");
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const replaced = Buffer.allocUnsafe(REPLACEMENT.length * bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const valid = sequenceLength(bytes, at);
    for (let index = 0; index < valid; index++) replaced[length++] = bytes[at + index]!;
    if (valid === 0) for (const byte of REPLACEMENT) replaced[length++] = byte;
    at += valid || 1;
  }
  return replaced.toString("utf8", 0, length);
}

const REPLACEMENT = Buffer.from("\ufffd");

/** The length of the valid UTF-8 sequence at `at`; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let index = at + 2; index < at + length; index++) if ((bytes[index]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** A body is not JSON, or its top-level members have wrong types. `message` is Go's. */
export class JsonError extends FirnError {
  constructor(message: string) {
    super("json", message);
  }
}

export type JsonKind = "object" | "array" | "string" | "number" | "bool" | "null";

interface JsonMember {
  readonly name: string;
  readonly value: JsonToken;
}

/** A value inside a text whose syntax was checked. */
export class JsonToken {
  readonly source: string;
  readonly start: number;
  readonly end: number;
  /** end positions of long values inside the text, by their start positions */
  readonly #ends: ReadonlyMap<number, number>;

  constructor(source: string, start: number, end: number, ends: ReadonlyMap<number, number>) {
    this.source = source;
    this.start = start;
    this.end = end;
    this.#ends = ends;
  }

  /**
   * The first value of a body. Throws a JsonError with Go's text. @param maxValues limit on members and elements, beyond which it throws a
   * LimitError
   */
  static first(source: string, maxValues?: number): JsonToken {
    return completed(JsonToken.firstSteps(source, maxValues));
  }

  /** The same, in pieces. @param maxValues limit on members and elements */
  static *firstSteps(source: string, maxValues = Number.POSITIVE_INFINITY): Generator<void, JsonToken> {
    const { start, end, ends, error } = yield* scanSteps(source, maxValues);
    if (error !== undefined) throw new JsonError(error);
    return new JsonToken(source, start, end, ends);
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

  /** The value of a string token. */
  get text(): string {
    return unquote(this.source, this.start, this.end);
  }

  /** Visits the members of an object token in order, including duplicates. */
  members(visit: (name: string, value: JsonToken) => void): void {
    completed(this.memberSteps(visit));
  }

  /** The same with pauses. */
  *memberSteps(visit: (name: string, value: JsonToken) => void): Generator<void, void> {
    let seen = 0;
    for (let member = this.firstMember(); member !== undefined; member = this.memberAfter(member)) {
      visit(member.name, member.value);
      if (++seen % MEMBERS === 0) yield;
    }
  }

  /** undefined if the object is empty */
  firstMember(): JsonMember | undefined {
    const at = skipSpace(this.source, this.start + 1);
    return this.source.charCodeAt(at) === 0x7d ? undefined : this.#memberAt(at);
  }

  /** undefined after the last member */
  memberAfter({ value }: JsonMember): JsonMember | undefined {
    const at = skipSpace(this.source, value.end);
    return this.source.charCodeAt(at) === 0x2c ? this.#memberAt(skipSpace(this.source, at + 1)) : undefined;
  }

  /** The elements of an array token. */
  elements(): JsonToken[] {
    const tokens: JsonToken[] = [];
    for (let token = this.firstElement(); token !== undefined; token = this.elementAfter(token)) tokens.push(token);
    return tokens;
  }

  /** undefined if the array is empty */
  firstElement(): JsonToken | undefined {
    const at = skipSpace(this.source, this.start + 1);
    return this.source.charCodeAt(at) === 0x5d ? undefined : this.#valueAt(at);
  }

  /** undefined after the last element */
  elementAfter({ end }: JsonToken): JsonToken | undefined {
    const at = skipSpace(this.source, end);
    return this.source.charCodeAt(at) === 0x2c ? this.#valueAt(skipSpace(this.source, at + 1)) : undefined;
  }

  #memberAt(start: number): JsonMember {
    const { source } = this;
    const keyEnd = endOfString(source, start);
    const value = this.#valueAt(skipSpace(source, skipSpace(source, keyEnd) + 1));
    return { name: unquote(source, start, keyEnd), value };
  }

  #valueAt(start: number): JsonToken {
    return new JsonToken(this.source, start, this.#ends.get(start) ?? endOfValue(this.source, start), this.#ends);
  }
}

/** Members that are visited without a pause; objects of real requests have fewer. */
const MEMBERS = 16;

/** Runs a generator to its end without pauses, and returns its result. */
export function completed<R>(steps: Generator<unknown, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Go's case folding for ASCII names: to upper case, with the Kelvin sign as K and the long s as S. */
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

const UNTIL_QUOTE = /[^"\\]*(?:\\.)?/y;

/** Position after the string that begins at `from`. */
function endOfString(source: string, from: number): number {
  let at = from + 1;
  while (source.charCodeAt(at) !== 0x22) {
    UNTIL_QUOTE.lastIndex = at;
    UNTIL_QUOTE.test(source);
    at = UNTIL_QUOTE.lastIndex;
  }
  return at + 1;
}

/** Position after the value that begins at `from`, whose syntax is valid. */
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
