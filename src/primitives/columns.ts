import { fixedHex } from "./codec/codec.ts";

/** Table columns for identifiers. (Chain codecs use `platform/` and `asset/` fields, which also know their JSON.) */
export const id = fixedHex(32);
export const shortId = fixedHex(20);
export const blsPublicKey = fixedHex(48);
