/** Derives the addresses of new contracts: of CREATE and of transactions (yellow paper 7), and of CREATE2 (EIP-1014). */

import { keccak256 } from "../../../base/bytes/hash.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../../base/codec/rlp.ts";
import type { Address, Hash } from "./block.ts";

/** position of the last 20 bytes of the hash */
const ADDRESS_AT = 12;

export function addressOfCreation(creator: Address, nonce: bigint): Address {
  const list = encodeRlpList([encodeRlpString(Buffer.from(creator, "hex")), encodeRlpInteger(nonce)]);
  return keccak256(list).toString("hex", ADDRESS_AT);
}

export function addressOfCreation2(creator: Address, salt: Hash, initCode: Uint8Array): Address {
  const parts = Buffer.concat([Buffer.from(`ff${creator}${salt}`, "hex"), keccak256(initCode)]);
  return keccak256(parts).toString("hex", ADDRESS_AT);
}
