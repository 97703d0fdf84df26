/** Who signed an EVM transaction. */

import { keccak256 } from "../../../base/bytes/hash.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString, type RlpItem, readRlp, rlpInteger, rlpItems } from "../../../base/codec/rlp.ts";
import { recoverEvmAddress } from "../../../base/signatures/secp256k1.ts";

const FIRST_TYPE_OF_LEGACY = 0x80;
/** with a chain ID, `v` of a legacy transaction is this or one more, and twice the chain ID (EIP-155); without, 27 or 28 */
const [FIRST_PROTECTED, FIRST_UNPROTECTED] = [35n, 27n];
/** parity, or `v`; r; s */
const SIGNATURE_ITEMS = 3;

/** Throws a CodecError or a SignatureError for what is no signed transaction. @param bytes network form */
export function signerOf(bytes: Buffer): ShortId {
  const isLegacy = bytes[0]! >= FIRST_TYPE_OF_LEGACY;
  const items = rlpItems(readRlp(isLegacy ? bytes : bytes.subarray(1)));
  const [v, r, s] = items.slice(-SIGNATURE_ITEMS) as [RlpItem, RlpItem, RlpItem];
  const members = items.slice(0, -SIGNATURE_ITEMS).map(({ encoding }) => encoding);
  const { parity, added } = isLegacy ? legacy(rlpInteger(v, 32)) : { parity: rlpInteger(v), added: [] };
  const signed = encodeRlpList([...members, ...added]);
  const digest = keccak256(isLegacy ? signed : Buffer.concat([bytes.subarray(0, 1), signed]));
  return recoverEvmAddress(digest, Buffer.concat([scalar(r), scalar(s), Uint8Array.of(Number(parity))]));
}

/** What is signed besides the members: the chain ID. */
function legacy(v: bigint): { readonly parity: bigint; readonly added: readonly Buffer[] } {
  if (v < FIRST_PROTECTED) return { parity: v - FIRST_UNPROTECTED, added: [] };
  const nothing = encodeRlpString(Buffer.alloc(0));
  return { parity: (v - FIRST_PROTECTED) % 2n, added: [encodeRlpInteger((v - FIRST_PROTECTED) / 2n), nothing, nothing] };
}

function scalar(item: RlpItem): Buffer {
  return Buffer.from(rlpInteger(item, 32).toString(16).padStart(64, "0"), "hex");
}
