import { keccak256 } from "./hash.ts";
import type { ShortId } from "./id.ts";

/** EIP-55: a letter is a capital where the hash of the text has a high digit. */
export function formatEvmAddress(address: ShortId): string {
  const digits = keccak256(Buffer.from(address, "ascii")).toString("hex");
  return `0x${[...address].map((letter, i) => (digits[i]! >= "8" ? letter.toUpperCase() : letter)).join("")}`;
}
