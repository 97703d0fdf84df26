/** Codecs and text columns hold names byte for byte, as latin1; answers show what the bytes say. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
