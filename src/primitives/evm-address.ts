import { keccak256 } from "./hash.ts";
import type { ShortId } from "./id.ts";

/** Formats with the EIP-55 checksum: a letter is upper case where the hash of the text has a digit of 8 or more. */
export function formatEvmAddress(address: ShortId): string {
  const digits = keccak256(Buffer.from(address, "ascii")).toString("hex");
  return `0x${[...address].map((letter, i) => (digits[i]! >= "8" ? letter.toUpperCase() : letter)).join("")}`;
}
