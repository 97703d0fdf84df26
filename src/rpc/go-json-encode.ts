/**
 * JSON as Go's encoding/json writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped, no blanks, integers of any size as digits, floats in
 * the shortest form (their exponent rule is ECMAScript's), raw JSON compacted.
 */
import { type JsonValue, RawJson } from "./raw-json.ts";

/** JSON text, or UTF-8 pieces of it: large parts are not copied. */
export type JsonText = string | readonly Uint8Array[];

/** A text that grows; bytes that are already rendered are kept as they are. */
export class JsonWriter {
  #text = "";
  #parts: Uint8Array[] | undefined;

  raw(text: string): this {
    this.#text += text;
    return this;
  }

  /** Latin1 text, one character per byte, as requests are held. */
  rawBytes(latin1: string): this {
    return isAscii(latin1) ? this.raw(latin1) : this.bytes(Buffer.from(latin1, "latin1"));
  }

  bytes(bytes: Uint8Array): this {
    this.#parts ??= [];
    if (this.#text !== "") this.#parts.push(Buffer.from(this.#text));
    this.#parts.push(bytes);
    this.#text = "";
    return this;
  }

  value(value: JsonValue): this {
    if (typeof value === "object" && value !== null) this.#composite(value);
    else this.#text += scalarJson(value);
    return this;
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

  /** All that was written: text, or pieces in order if bytes were written. */
  finish(): JsonText {
    if (this.#parts === undefined) return this.#text;
    return this.#text === "" ? this.#parts : [...this.#parts, Buffer.from(this.#text)];
  }
}

/** Renders a value once, e.g. for `RpcContext.cached`. */
export function renderJson(value: JsonValue): RawJson {
  const json = new JsonWriter().value(value).finish();
  return new RawJson(typeof json === "string" ? Buffer.from(json) : Buffer.concat(json));
}

/** The JSON of a value that holds no rendered bytes. */
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

/** JSON text as Go writes it for HTML. */
export function escapeHtml(json: string): string {
  return /[<>&\u2028\u2029]/.test(json) ? json.replace(/[<>&\u2028\u2029]/g, (character) => htmlEscapes[character]!) : json;
}

/** A raw token of a request (latin1) as Go echoes it: without blanks outside strings, HTML-escaped, otherwise spelled as it was. */
export function compactJson(raw: string): string {
  // U+2028 and U+2029 are E2 80 A8 and E2 80 A9
  if (!/[\t\n\r <>&\xe2]/.test(raw)) return raw;
  const escaped = raw.replace(/[<>&]/g, (character) => htmlEscapes[character]!).replace(/\xe2\x80[\xa8\xa9]/g, escapeSeparator);
  return escaped.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[\t\n\r ]+/g, (match) => (match.startsWith('"') ? match : ""));
}

function escapeSeparator(bytes: string): string {
  return bytes.endsWith("\xa8") ? "\\u2028" : "\\u2029";
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is asked for
  return /^[\x00-\x7f]*$/.test(text);
}
