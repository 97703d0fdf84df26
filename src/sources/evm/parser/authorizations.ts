/**
 * EIP-7702 authorizations: an account lets a contract's code be its own. Each authorization that the chain accepts raises the nonce of its
 * signer before the transaction's own call, and stays even if that call fails.
 */

import { keccak256 } from "../../../base/bytes/hash.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../../base/codec/rlp.ts";
import { recoverEvmAddress, SignatureError } from "../../../base/signatures/secp256k1.ts";
import { AnswerObject } from "./answer-object.ts";
import type { Address } from "./block.ts";

export interface Authorization {
  readonly authority: Address;
  readonly nonce: bigint;
}

/** first byte of the signed message */
const MAGIC = Buffer.of(5);
const MAX_NONCE = 2n ** 64n - 1n;

/**
 * Returns the authorizations, in order, that are signed and name this chain or any. (Each costs 25,000 gas, so there are few.) The caller
 * must compare the nonce with the account's. Whether the account has code of its own need not be checked, since nobody has the key of a
 * contract's address.
 */
export function authorizationsOf(transaction: AnswerObject): readonly Authorization[] {
  if (!transaction.has("authorizationList")) return [];
  const chainId = transaction.quantity("chainId");
  return transaction
    .list("authorizationList")
    .flatMap((entry, i) => authorizationIn(new AnswerObject(entry, `${transaction.where}.authorizationList[${i}]`), chainId) ?? []);
}

function authorizationIn(entry: AnswerObject, chainId: bigint): Authorization | undefined {
  const forChain = entry.quantity("chainId");
  const nonce = entry.uint64("nonce");
  const parity = entry.quantity(entry.has("yParity") ? "yParity" : "v");
  if ((forChain !== 0n && forChain !== chainId) || nonce === MAX_NONCE || parity > 1n) return undefined;
  const signed = encodeRlpList([
    encodeRlpInteger(forChain),
    encodeRlpString(Buffer.from(entry.address("address"), "hex")),
    encodeRlpInteger(nonce),
  ]);
  const digits = [entry.quantity("r"), entry.quantity("s")].map((scalar) => scalar.toString(16).padStart(64, "0")).join("");
  try {
    const signature = Buffer.from(`${digits}0${parity}`, "hex");
    return { authority: recoverEvmAddress(keccak256(Buffer.concat([MAGIC, signed])), signature), nonce };
  } catch (error) {
    if (error instanceof SignatureError) return undefined;
    throw error;
  }
}
