/** Signs EVM transactions with a key that Firn knows (EIP-155, 2930, 1559). */

import { keccak256 } from "../../../base/bytes/hash.ts";
import { encodeRlpInteger, encodeRlpList, readRlp, rlpItems } from "../../../base/codec/rlp.ts";
import { signDigest } from "../../../base/signatures/secp256k1.ts";
import { encodeUnsigned, type UnsignedFields } from "./unsigned-transaction.ts";

/** From EIP-155. */
const LEAST_V = 35n;
const SIGNATURE_ITEMS = 3;

/** Returns the network form. Throws an AnswerError that names a member that is wrong. */
export function signTransaction(fields: UnsignedFields, key: Uint8Array): Buffer {
  const unsigned = encodeUnsigned(fields);
  const type = BigInt(fields.type) === 0n ? Buffer.alloc(0) : unsigned.subarray(0, 1);
  const items = rlpItems(readRlp(unsigned.subarray(type.length))).map(({ encoding }) => encoding);
  const signed = items.slice(0, -SIGNATURE_ITEMS);
  const chainId = BigInt(fields.chainId);
  const isLegacy = type.length === 0;
  const chain = isLegacy ? [chainId, 0n, 0n].map(encodeRlpInteger) : [];
  const signature = signDigest(keccak256(Buffer.concat([type, encodeRlpList([...signed, ...chain])])), key);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map((half) => BigInt(`0x${half.toString("hex")}`));
  const parity = BigInt(signature[64]!);
  const v = isLegacy ? 2n * chainId + LEAST_V + parity : parity;
  return Buffer.concat([type, encodeRlpList([...signed, ...[v, r!, s!].map(encodeRlpInteger)])]);
}
