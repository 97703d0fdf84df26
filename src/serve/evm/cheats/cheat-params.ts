/** Reads parameters of methods that tests send. A wrong one is refused with a sentence. */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { EvmRequestError } from "../../../devnet/anvil/evm-error.ts";

const INVALID_PARAMS = -32_602;
const MOST = 2n ** 53n - 1n;
const NUMBER = /^(?:0x[0-9a-f]{1,64}|[0-9]{1,78})$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const WORD = /^0x[0-9a-f]{64}$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/** A number, or one in a text: decimal or hex. */
export function whole(given: unknown, what: string, most = MOST): bigint {
  const isNumber = typeof given === "number" && Number.isSafeInteger(given) && given >= 0;
  const value = isNumber || (typeof given === "string" && NUMBER.test(given)) ? BigInt(given) : undefined;
  if (value === undefined || value > most) throw invalid(`${what} must be a whole number from 0 to ${most}`);
  return value;
}

/** Without `0x`. */
export function addressOf(given: unknown, what = "the address"): ShortId {
  if (typeof given !== "string" || !ADDRESS.test(given)) throw invalid(`${what} must be 0x and 40 digits of hex`);
  return given.slice(2).toLowerCase();
}

/** 32 bytes, without `0x`. */
export function wordOf(given: unknown, what: string): Id {
  if (typeof given !== "string" || !WORD.test(given)) throw invalid(`${what} must be 32 bytes: 0x and 64 digits of hex`);
  return given.slice(2).toLowerCase();
}

export function bytesOf(given: unknown, what: string, most: number): Buffer {
  if (typeof given !== "string" || !BYTES.test(given)) throw invalid(`${what} must be 0x and an even number of digits of hex`);
  const bytes = Buffer.from(given.slice(2), "hex");
  if (bytes.length > most) throw invalid(`${what} has ${bytes.length} bytes; it may have at most ${most}`);
  return bytes;
}

export function flagOf(given: unknown, what: string): boolean {
  if (typeof given !== "boolean") throw invalid(`${what} must be true or false`);
  return given;
}

export function invalid(message: string): EvmRequestError {
  return new EvmRequestError("evm", { code: INVALID_PARAMS, message });
}
