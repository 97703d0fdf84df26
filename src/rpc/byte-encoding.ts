/** Blocks, transactions and UTXOs as text, in the encoding that the request names (rpc-platform 2.6). */
import { decodeHex, encodeHexChecksummed, encodeHexPlain } from "../primitives/hex.ts";
import { TextError } from "../primitives/text-error.ts";
import type { Encoding } from "./params.ts";
import { RawJson } from "./raw-json.ts";

const UNSUPPORTED = "unsupported encoding in method";

/** Throws TextError for `json`, which is no encoding of bytes: the caller says what could not be encoded. */
export function encodeBytes(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "json") throw new TextError("encoding", UNSUPPORTED);
  return encoding === "hexnc" ? encodeHexPlain(bytes) : encodeHexChecksummed(bytes);
}

/** The same as a JSON string: hex needs no escapes, and blocks are long. */
export function encodeBytesJson(bytes: Uint8Array, encoding: Encoding): RawJson {
  return new RawJson(`"${encodeBytes(bytes, encoding)}"`);
}

/** Throws TextError with the node's fragment. No text is no bytes in every encoding. */
export function decodeBytes(text: string, encoding: Encoding): Buffer {
  if (encoding === "json" && text !== "") throw new TextError("encoding", UNSUPPORTED);
  return decodeHex(text, { checksum: encoding !== "hexnc" });
}
