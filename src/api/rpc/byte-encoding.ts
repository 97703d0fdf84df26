/** Encodes blocks, transactions and UTXOs as text, in the encoding that the request names (rpc-platform 2.6). */

import { decodeHex, encodeHexChecksummed, encodeHexPlain } from "../../base/bytes/hex.ts";
import { TextError } from "../../base/errors/text-error.ts";
import { RawJson } from "../../base/json/go-encode.ts";
import type { Encoding } from "./params.ts";

const UNSUPPORTED = "unsupported encoding in method";

/** Throws TextError for `json`, which does not encode bytes; the caller adds what could not be encoded. */
export function encodeBytes(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "json") throw new TextError("encoding", UNSUPPORTED);
  return encoding === "hexnc" ? encodeHexPlain(bytes) : encodeHexChecksummed(bytes);
}

/** Returns the same as a JSON string without escaping it: hex needs no escapes, and blocks are long. */
export function encodeBytesJson(bytes: Uint8Array, encoding: Encoding): RawJson {
  return new RawJson(`"${encodeBytes(bytes, encoding)}"`);
}

/** Throws TextError with the node's fragment. Empty text is no bytes in every encoding. */
export function decodeBytes(text: string, encoding: Encoding): Buffer {
  if (encoding === "json" && text !== "") throw new TextError("encoding", UNSUPPORTED);
  return decodeHex(text, { checksum: encoding !== "hexnc" });
}
