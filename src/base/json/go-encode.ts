/**
 * Encodes JSON as Go's encoding/json does: `<`, `>`, `&`, U+2028 and U+2029 escaped, no blanks, integers of any size as digits, floats in
 * the shortest form (with ECMAScript's exponent rule), raw JSON compacted.
 */
import { type Awaitable, andThen } from "../work/awaitable.ts";
import type { Work } from "../work/work.ts";

/** JSON that is already rendered: an answer, or a part of one, which is written unchanged. It must already have Go's HTML escaping. */
export class RawJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

/**
 * What handlers return. `bigint` becomes plain digits, so a u64 that the API shows as a string must be a string. Members keep their order,
 * so handlers sort maps themselves; undefined members are left out, and undefined elements are null.
 */
export type JsonValue = RawJson | string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue | undefined };

/** JSON text, or UTF-8 pieces of it, which avoids copying large parts. */
export type JsonText = string | readonly Uint8Array[];

/** A growing text. Bytes that are already rendered are kept unchanged. */
export class JsonWriter {
  #text = "";
  #parts: Uint8Array[] | undefined;

  raw(text: string): this {
    this.#text += text;
    return this;
  }

  /** Appends latin1 text, one character per byte, as in requests. */
  rawBytes(latin1: string): this {
    return isAscii(latin1) ? this.raw(latin1) : this.bytes(Buffer.from(latin1, "latin1"));
  }

  /** Appends a token of a request as Go echoes it, and pauses between pieces of a long one. */
  *echoSteps(raw: string): Generator<void, this> {
    if (raw.length <= COMPACTED) return this.rawBytes(compactJson(raw));
    for (const piece of compactPieces(raw)) {
      this.bytes(Buffer.from(piece, "latin1"));
      yield;
    }
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#flush().push(bytes);
    return this;
  }

  #flush(): Uint8Array[] {
    this.#parts ??= [];
    if (this.#text !== "") this.#parts.push(Buffer.from(this.#text));
    this.#text = "";
    return this.#parts;
  }

  value(value: JsonValue): this {
    if (typeof value === "object" && value !== null) this.#composite(value);
    else this.#text += scalarJson(value);
    return this;
  }

  /** The same in turns if the value is long; returns undefined if it is not. */
  valueInTurns(value: JsonValue, work: Work): Promise<void> | undefined {
    if (sizeUpTo(LONG, value) >= LONG) return this.#longInTurns(value, work);
    this.value(value);
    return undefined;
  }

  async #longInTurns(value: JsonValue, work: Work): Promise<void> {
    if (typeof value !== "object" || value === null || value instanceof RawJson) {
      this.value(value);
      return;
    }
    const isArray = Array.isArray(value);
    let separator = "";
    this.#text += isArray ? "[" : "{";
    for (const [name, member] of isArray ? (value as readonly JsonValue[]).entries() : Object.entries(value)) {
      if (member === undefined && !isArray) continue;
      this.#text += isArray ? separator : `${separator}${stringJson(name as string)}:`;
      separator = ",";
      const written = this.valueInTurns(member ?? null, work);
      if (written !== undefined) await written;
      if (this.#text.length > LONG) this.#flush();
      const turn = work.turn();
      if (turn !== undefined) await turn;
    }
    this.#text += isArray ? "]" : "}";
  }

  #composite(value: Exclude<JsonValue, string | number | bigint | boolean | null>): void {
    if (value instanceof RawJson) {
      if (typeof value.json === "string") this.#text += value.json;
      else this.bytes(value.json);
      return;
    }
    let separator = "";
    if (Array.isArray(value)) {
      this.#text += "[";
      for (const element of value as readonly JsonValue[]) {
        this.#text += separator;
        this.value(element ?? null);
        separator = ",";
      }
      this.#text += "]";
      return;
    }
    this.#text += "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      this.#text += `${separator}${stringJson(name)}:`;
      this.value(member);
      separator = ",";
    }
    this.#text += "}";
  }

  /** Everything written: text, or pieces in order if bytes were written. */
  finish(): JsonText {
    if (this.#parts === undefined) return this.#text;
    return this.#text === "" ? this.#parts : [...this.#parts, Buffer.from(this.#text)];
  }
}

/** Renders a value once, e.g. for `RpcContext.cached`. */
export function renderInTurns(value: JsonValue, work: Work): Awaitable<RawJson> {
  const writer = new JsonWriter();
  return andThen(writer.valueInTurns(value, work), () => {
    const json = writer.finish();
    return new RawJson(typeof json === "string" ? Buffer.from(json) : Buffer.concat(json));
  });
}

/** Characters that are written in one piece, in well below a millisecond. */
const LONG = 32_768;

/**
 * Approximate number of characters of a value's JSON, counted up to `limit`. Rendered JSON does not count, because it is only passed on.
 */
function sizeUpTo(limit: number, value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || value instanceof RawJson) return SCALAR;
  let size = SCALAR;
  for (const member of Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value)) {
    size += SCALAR + sizeUpTo(limit - size, member);
    if (size >= limit) break;
  }
  return size;
}

const SCALAR = 8;

/** The JSON of a value without rendered bytes. */
export function renderedText(value: JsonValue): string {
  const json = new JsonWriter().value(value).finish();
  return typeof json === "string" ? json : Buffer.concat(json).toString();
}

function scalarJson(value: string | number | bigint | boolean | null): string {
  if (typeof value === "string") return stringJson(value);
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} has no JSON form`);
  return String(value);
}

export function stringJson(text: string): string {
  return escapeHtml(JSON.stringify(text));
}

const htmlEscapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Escapes JSON text for HTML as Go does. */
export function escapeHtml(json: string): string {
  return /[<>&\u2028\u2029]/.test(json) ? json.replace(/[<>&\u2028\u2029]/g, (character) => htmlEscapes[character]!) : json;
}

/** A raw token of a request (latin1) as Go echoes it: without blanks outside strings, HTML-escaped, otherwise unchanged. */
export function compactJson(raw: string): string {
  // U+2028 and U+2029 are E2 80 A8 and E2 80 A9
  return /[\t\n\r <>&\xe2]/.test(raw) ? [...compactPieces(raw)].join("") : raw;
}

/** The same in pieces. */
function* compactPieces(raw: string): Generator<string, void> {
  let isInString = false;
  for (let at = 0; at < raw.length; ) {
    // Works on characters rather than regex matches, because a client may send as many of these as there are bytes
    const until = Math.min(raw.length, at + COMPACTED);
    const compact = Buffer.allocUnsafe((until - at + 1) * LONGEST_ESCAPE);
    let length = 0;
    for (; at < until; at++) {
      const c = raw.charCodeAt(at);
      const isBlank = c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
      if (isBlank && !isInString) continue;
      if (c === 0x22) isInString = !isInString;
      const escaped = escapeAt(raw, at, c);
      if (escaped !== undefined) {
        length += compact.write(escaped, length, "latin1");
        if (c === 0xe2) at += 2;
        continue;
      }
      compact[length++] = c;
      if (c === 0x5c) compact[length++] = raw.charCodeAt(++at);
    }
    yield compact.toString("latin1", 0, length);
  }
}

/** Characters that are compacted in one piece, in less than a millisecond. */
const COMPACTED = 8192;

/** The escape of the character `c` at `at`, or of the three-byte separator that begins there. */
function escapeAt(raw: string, at: number, c: number): string | undefined {
  if (c === 0xe2) return separatorEscapes[raw.slice(at, at + 3)];
  return c === 0x3c || c === 0x3e || c === 0x26 ? htmlEscapes[raw[at]!] : undefined;
}

const LONGEST_ESCAPE = "\\u2028".length;
const separatorEscapes: Readonly<Record<string, string>> = { "\xe2\x80\xa8": "\\u2028", "\xe2\x80\xa9": "\\u2029" };

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is asked for
  return /^[\x00-\x7f]*$/.test(text);
}
