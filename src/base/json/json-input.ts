/** Reads JSON files written by people. Every value knows its path, so errors name the member and say what is expected. */

import { FirnError } from "../errors/errors.ts";
import { withoutCredentials } from "./credentials.ts";

/** A member is missing or malformed. */
export class InputError extends FirnError {}

const U64_MAX = 2n ** 64n - 1n;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/** Marks numbers during JSON.parse; JSON text cannot contain it unescaped. */
const NUMBER_MARK = "\u0000";

/** Like JSON.parse, but integers become bigints, because amounts of a genesis exceed the precision of a number. */
export function parseJsonExactly(text: string): unknown {
  const marked = text.replace(TOKEN, (token) => (token.startsWith('"') ? token : JSON.stringify(NUMBER_MARK + token)));
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(NUMBER_MARK)) return value;
    const token = value.slice(1);
    return INTEGER.test(token) ? BigInt(token) : Number(token);
  });
}

/** One value of a JSON document, with its path. */
export class JsonInput {
  readonly value: unknown;
  readonly #file: string;
  readonly #path: string;

  /** @param file name of the document in errors */
  constructor(value: unknown, file: string, path = "") {
    this.value = value;
    this.#file = file;
    this.#path = path;
  }

  /** Another value at the same place. */
  replaced(value: unknown): JsonInput {
    return new JsonInput(value, this.#file, this.#path);
  }

  member(name: string): JsonInput {
    const member = this.optionalMember(name);
    if (member !== undefined) return member;
    throw new InputError("input-missing", `${this.#file}: ${this.#step(name)} is missing`, { path: this.#step(name) });
  }

  /** undefined if it is absent or null */
  optionalMember(name: string): JsonInput | undefined {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) throw this.wrong("an object");
    const value = (this.value as Record<string, unknown>)[name];
    return value === undefined || value === null ? undefined : new JsonInput(value, this.#file, this.#step(name));
  }

  /** The members of an object with their names. */
  entries(): [name: string, value: JsonInput][] {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong("an object");
    return Object.keys(value).map((name) => [name, this.member(name)]);
  }

  list(): JsonInput[] {
    if (!Array.isArray(this.value)) throw this.wrong("a list");
    return this.value.map((value: unknown, index) => new JsonInput(value, this.#file, `${this.#path}[${index}]`));
  }

  text(): string {
    if (typeof this.value !== "string") throw this.wrong("a text");
    return this.value;
  }

  /** Reads a JSON integer. */
  integer(max: bigint = U64_MAX): bigint {
    const { value } = this;
    const integer = typeof value === "bigint" ? value : Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
    if (integer === undefined || integer < 0n || integer > max) throw this.wrong(`an integer from 0 to ${max}`);
    return integer;
  }

  /** Reads an integer in quotes, as amounts are written. */
  decimal(max: bigint = U64_MAX): bigint {
    const digits = this.text();
    if (!/^\d+$/.test(digits) || BigInt(digits) > max) throw this.wrong(`an integer from 0 to ${max} in quotes`);
    return BigInt(digits);
  }

  /** Reads a text with `read`; the message of what it throws becomes the reason. */
  read<T>(read: (text: string) => T, expected: string): T {
    if (typeof this.value !== "string") throw this.wrong(expected);
    try {
      return read(this.value);
    } catch (error) {
      if (!(error instanceof FirnError) && !(error instanceof RangeError)) throw error;
      throw this.wrong(expected, error);
    }
  }

  wrong(expected: string, cause?: Error): InputError {
    // integers are bigints, also inside of lists and objects
    const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
    const shown =
      typeof this.value === "bigint" ? `${this.value}` : withoutCredentials(JSON.stringify(this.value, plain) ?? "nothing").slice(0, 80);
    const reason = cause?.message ? ` (${cause.message})` : "";
    const name = this.#path === "" ? this.#file : `${this.#file}: ${this.#path}`;
    return new InputError("input-malformed", `${name} is ${shown}${reason}; use ${expected}`, { path: this.#path }, { cause });
  }

  #step(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}
