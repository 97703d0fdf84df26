/** RLP in digits of hex, which the members of a node's answers have already: no buffer for each of them. */

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Encodes a string, or a hash. @param digits two for each byte */
export function rlpString(digits: string): string {
  return digits.length === 2 && digits < "80" ? digits : withLength(0x80, digits);
}

/** @param items encoded items */
export function rlpList(items: readonly string[]): string {
  return withLength(0xc0, items.join(""));
}

function withLength(base: number, payload: string): string {
  const length = payload.length / 2;
  if (length < 56) return BYTES[base + length]! + payload;
  const digits = evenDigits(length.toString(16));
  return BYTES[base + 55 + digits.length / 2]! + digits + payload;
}

/** Pads to whole bytes. */
export function evenDigits(digits: string): string {
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
