/** An object in a node's answer. Every member is checked when it is read. An error names the member and says what would be right. */

import { hexBytes } from "../../../base/bytes/hex.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import { LongText } from "../../../base/json/json-events.ts";
import type { Address, Hash } from "./block.ts";
import { evenDigits } from "./hex-rlp.ts";

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const SHORT_HEX = /^0x[0-9a-f]{0,64}$/i;
const ZERO = 0x30;
const MOST_DIGITS = 64;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const HASH_TEXT = 66;
export const MAX_UINT64 = 2n ** 64n - 1n;

/** The answer of an upstream is impossible or contradicts itself. */
export class AnswerError extends FirnError {
  constructor(message: string, facts: Record<string, unknown> = {}) {
    super("evm-answer", message, facts);
  }
}

export class AnswerObject {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #where: string;

  /** @param where the object's name in errors: `block 7: transactions[2]` */
  constructor(value: unknown, where: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new AnswerError(`${where} is ${shown(value)}; use an object`);
    this.#members = value as Record<string, unknown>;
    this.#where = where;
  }

  get where(): string {
    return this.#where;
  }

  get names(): readonly string[] {
    return Object.keys(this.#members);
  }

  has(name: string): boolean {
    return this.#members[name] !== undefined && this.#members[name] !== null;
  }

  quantity(name: string): bigint {
    return BigInt(this.#matching(name, QUANTITY, "0x and up to 64 digits of hex"));
  }

  /** Returns the member unchecked. */
  raw(name: string): unknown {
    return this.#members[name];
  }

  /** undefined if it is absent or null */
  optionalQuantity(name: string): bigint | undefined {
    return this.has(name) ? this.quantity(name) : undefined;
  }

  /** Reads a height, time, gas or nonce: below 2^64. */
  uint64(name: string): bigint {
    const value = this.quantity(name);
    if (value > MAX_UINT64) throw this.wrong(name, "a number below 2^64");
    return value;
  }

  /** undefined if it is absent or null */
  optionalUint64(name: string): bigint | undefined {
    return this.has(name) ? this.uint64(name) : undefined;
  }

  /** Reads an index or another small number, by default below 2^32. */
  number(name: string, most = 0xffff_ffff): number {
    const value = this.quantity(name);
    if (value > BigInt(most)) throw this.wrong(name, `a number up to ${most}`);
    return Number(value);
  }

  hash(name: string): Hash {
    return this.#matching(name, HASH, "0x and 64 digits of hex").slice(2).toLowerCase();
  }

  /** Whether the member is this hash, in whatever case. */
  isHash(name: string, hash: Hash): boolean {
    const value = this.#members[name];
    // nearly every answer has it in lower case
    return (
      (typeof value === "string" && value.length === HASH_TEXT && value.endsWith(hash) && value.startsWith("0x")) ||
      this.hash(name) === hash
    );
  }

  address(name: string): Address {
    return this.#matching(name, ADDRESS, "0x and 40 digits of hex").slice(2).toLowerCase();
  }

  /** Reads a number or a hash that Firn only passes on. */
  shortHex(name: string): string {
    return this.#matching(name, SHORT_HEX, "0x and up to 64 digits of hex");
  }

  optionalAddress(name: string): Address | undefined {
    return this.has(name) ? this.address(name) : undefined;
  }

  /** Reads bytes as digits of hex, two for each; whether they are digits shows when they are decoded. */
  digits(name: string): string {
    const digits = this.#digits(name).slice(2);
    if (digits.length % 2 === 1) throw this.wrong(name, "0x and an even number of digits of hex");
    return digits;
  }

  /** The bytes of digits that were made of its members. */
  bytesOf(digits: string): Buffer {
    const bytes = hexBytes(digits);
    if (bytes === undefined) throw new AnswerError(`${this.#where} has a member with a character that is no digit of hex`);
    return bytes;
  }

  /** Reads a number as digits of hex of its shortest whole bytes, none for 0; as for `digits`. */
  shortestDigits(name: string): string {
    const text = this.#digits(name);
    let start = 2;
    while (text.charCodeAt(start) === ZERO) start++;
    if (text.length - start > MOST_DIGITS) throw this.wrong(name, "0x and up to 64 digits of hex");
    return evenDigits(text.slice(start));
  }

  bytes(name: string): Buffer {
    const bytes = hexBytes(this.#digits(name).slice(2));
    if (bytes === undefined) throw this.wrong(name, "0x and an even number of digits of hex");
    return bytes;
  }

  /** Returns the length of bytes whose content is not needed. */
  byteLength(name: string): number {
    const value = this.#members[name];
    if (value instanceof LongText) return (value.bytes - 2) / 2;
    return (this.#digits(name).length - 2) / 2;
  }

  text(name: string): string {
    const value = this.#members[name];
    if (typeof value !== "string") throw this.wrong(name, "a text");
    return value;
  }

  /** undefined if it is absent or null, or was too long to keep */
  knownText(name: string): string | undefined {
    return this.has(name) && !(this.#members[name] instanceof LongText) ? this.text(name) : undefined;
  }

  list(name: string): readonly unknown[] {
    const value = this.#members[name];
    if (!Array.isArray(value)) throw this.wrong(name, "a list");
    return value;
  }

  object(name: string): AnswerObject {
    return new AnswerObject(this.#members[name], `${this.#where}.${name}`);
  }

  /** @param expected what would be right */
  wrong(name: string, expected: string): AnswerError {
    const value = this.#members[name];
    return new AnswerError(`${this.#where}.${name} is ${shown(value)}; it must be ${expected}`, { field: name });
  }

  #digits(name: string): string {
    const value = this.#members[name];
    if (typeof value !== "string" || !value.startsWith("0x")) throw this.wrong(name, "0x and digits of hex");
    return value;
  }

  #matching(name: string, pattern: RegExp, expected: string): string {
    const value = this.#members[name];
    if (typeof value !== "string" || !pattern.test(value)) throw this.wrong(name, expected);
    return value;
  }
}

export function listAnswer(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new AnswerError(`${where} is ${shown(value)}; it must be a list`);
  return value;
}

/** Shows nothing of the content of lists and objects, which may be of any size and depth. */
function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
