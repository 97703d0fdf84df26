/** Converts names for answers to UTF-8. Codecs and text columns hold their bytes as latin1. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
