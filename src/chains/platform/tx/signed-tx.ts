/** Signed transactions of every kind: as issued and stored, and as blocks contain them. */
import { type Codec, decodeVersioned, type JsonContext, MAX_MESSAGE_BYTES } from "../../../base/codec/codec.ts";
import { type UnsignedTx, unsignedTx } from "./registry.ts";
import { type Signed, signed } from "./signed.ts";

export type SignedTx = Signed<UnsignedTx>;

/** Without codec version, as in blocks. */
export const signedTx: Codec<SignedTx> = signed(unsignedTx);

/** Parses a single transaction, with codec version and nothing after it. */
export function parseTx(bytes: Uint8Array): SignedTx {
  return decodeVersioned(signedTx, bytes, { limit: MAX_MESSAGE_BYTES });
}

/** The node's JSON of a transaction: `{"unsignedTx":…,"credentials":…,"id":…}`. */
export function txJson(tx: SignedTx, context: JsonContext): string {
  return signedTx.json(tx, context);
}
