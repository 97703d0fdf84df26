/** Members of a node's answers, checked. Errors name the member and say what would be right. */

import { parseId } from "../../base/bytes/cb58.ts";
import { decodeHex } from "../../base/bytes/hex.ts";
import type { Id } from "../../base/bytes/id.ts";
import { AnswerError } from "../evm/parser/answer-object.ts";

type Members = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown, what: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new AnswerError(`${what} is no object`);
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new AnswerError(`${what} is no list`);
}

/** A u64, as the node writes it: a text of digits. */
export function numberOf(value: unknown, what: string): bigint {
  if (typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n) return BigInt(value);
  throw new AnswerError(`${what} is not a number in a text; it must be below 2^64`);
}

export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value === "string" && /^0x[0-9a-f]{1,16}$/i.test(value)) return BigInt(value);
  throw new AnswerError(`${what} is not 0x and up to 16 digits of hex`);
}

/** Bytes with their checksum. */
export function bytesOf(value: unknown, what: string): Buffer {
  if (typeof value !== "string" || value === "") throw new AnswerError(`${what} is no text of hex`);
  return decodeHex(value, { checksum: true });
}

export function idOf(value: unknown, what: string): Id {
  if (typeof value !== "string") throw new AnswerError(`${what} is no text`);
  return parseId(value);
}
