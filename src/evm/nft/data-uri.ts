/** Decodes `data:` URIs (RFC 2397) as contracts write them, often without the required escapes. */

const BASE64 = /;\s*base64\s*$/i;

/** undefined: not a data URI */
export function readDataUri(uri: string): Buffer | undefined {
  const comma = uri.indexOf(",");
  if (!/^data:/i.test(uri) || comma === -1) return undefined;
  const content = percentDecoded(uri.slice(comma + 1));
  // characters that are not base64 are skipped
  return BASE64.test(uri.slice(0, comma)) ? Buffer.from(content.toString("latin1"), "base64") : content;
}

/** A `%` that is not followed by two hex digits is kept. */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const digits = bytes[at] === PERCENT ? bytes.toString("latin1", at + 1, at + 3) : "";
    const isEscape = /^[0-9a-f]{2}$/i.test(digits);
    bytes[length++] = isEscape ? Number.parseInt(digits, 16) : bytes[at]!;
    if (isEscape) at += 2;
  }
  return bytes.subarray(0, length);
}

const PERCENT = 0x25;
