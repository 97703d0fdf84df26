/** cb58: base58 of the payload followed by the last four bytes of its SHA-256 (chain-formats 2.1). */

import { Recent } from "../collections/recent.ts";
import { TextError } from "../errors/text-error.ts";
import { decodeBase58, encodeBase58 } from "./base58.ts";
import { sha256Hex } from "./hash.ts";
import type { Id } from "./id.ts";

const CHECKSUM_BYTES = 4;

/** Answers repeat a few IDs (chains, assets, subnets, parents). An entry takes about 250 bytes. */
const formatted = new Recent<string, string>(20_000);

export function encodeCb58(payload: Uint8Array): string {
  return encodeBase58(appendChecksum(payload));
}

/** Returns the payload. Errors have the node's text (rpc-platform 2.7). */
export function decodeCb58(text: string): Buffer {
  const bytes = decodeOrExplain(text);
  if (bytes.length < CHECKSUM_BYTES) throw new TextError("cb58", "input string is smaller than the checksum size");
  const payload = bytes.subarray(0, -CHECKSUM_BYTES);
  if (checksumHex(payload) !== bytes.toString("hex", payload.length)) throw new TextError("cb58", "invalid input checksum");
  return payload;
}

/** Formats an identifier of any length, given in hex. */
export function formatId(hex: string): string {
  let text = formatted.get(hex);
  if (text === undefined) {
    text = encodeCb58(Buffer.from(hex, "hex"));
    formatted.set(hex, text);
  }
  return text;
}

/** Clients ask for the same IDs repeatedly. Only valid IDs are cached, which are short. */
const parsed = new Recent<string, Id>(20_000);

export function parseId(text: string): Id {
  let id = parsed.get(text);
  if (id === undefined) {
    id = parseFixed(text, 32);
    parsed.set(text, id);
  }
  return id;
}

/** Far above the length of any ID and address: the cost of decoding grows faster than the length. */
const LONGEST_TEXT = 1024;

/** Parses cb58 text that must contain exactly `length` bytes; returns hex. */
export function parseFixed(text: string, length: number): string {
  if (text.length > LONGEST_TEXT)
    throw new TextError("id-length", `${text.length} characters are more than any ${length} bytes have in cb58`);
  const payload = decodeCb58(text);
  if (payload.length !== length) {
    throw new TextError("id-length", `invalid hash length: expected ${length} bytes but got ${payload.length}`);
  }
  return payload.toString("hex");
}

export function checksumHex(payload: Uint8Array): string {
  return sha256Hex(payload).slice(-2 * CHECKSUM_BYTES);
}

function appendChecksum(payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(payload.length + CHECKSUM_BYTES);
  bytes.set(payload);
  bytes.write(checksumHex(payload), payload.length, "hex");
  return bytes;
}

function decodeOrExplain(text: string): Buffer {
  try {
    return decodeBase58(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new TextError("cb58", `base58 decoding error: ${error.message}`);
  }
}
