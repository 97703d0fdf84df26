import { keccak256 } from "./hash.ts";
import type { ShortId } from "./id.ts";

/** Formats with the EIP-55 checksum: a letter is upper case where the hash of the text has a digit of 8 or more. */
export function formatEvmAddress(address: ShortId): string {
  const digits = keccak256(Buffer.from(address, "ascii")).toString("hex");
  return `0x${[...address].map((letter, i) => (digits[i]! >= "8" ? letter.toUpperCase() : letter)).join("")}`;
}

/**
 * Finds a mistyped digit of an address (0x and 40 hex digits of any case).
 * @returns these digits in the case that EIP-55 demands; undefined if they have it, or are of one case, which has no checksum
 */
export function correctedChecksum(text: string): string | undefined {
  const digits = text.slice(2);
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  const right = formatEvmAddress(digits.toLowerCase());
  return isMixed && digits !== right.slice(2) ? right : undefined;
}
