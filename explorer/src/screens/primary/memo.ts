/** Memos, which whoever issued a transaction wrote into it. */
import { bytesOf } from "./warp-message.ts";

/** The memo as text, if it is UTF-8. */
export function memoText(hex: string): string | undefined {
  const bytes = bytesOf(hex);
  if (bytes === undefined || bytes.length === 0) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
