import { fixedHex } from "../codec/codec.ts";

/** Table columns for identifiers. (Chain codecs use the fields of `chains/platform/` and `chains/asset/`, which also define JSON.) */
export const id = fixedHex(32);
export const shortId = fixedHex(20);
export const blsPublicKey = fixedHex(48);
