/** Converts the child's block headers from JSON-RPC to the RLP that is hashed. */

import { keccak256 } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { AnswerObject } from "../../sources/evm/parser/answer-object.ts";
import { ETHEREUM_FIELDS, encodeHeaderFields } from "../../sources/evm/parser/rlp-forms.ts";
import { EvmDownError } from "./evm-error.ts";

export interface BlockJson {
  readonly hash: string;
  readonly number: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  /** hashes, or objects with a hash */
  readonly transactions: readonly (string | { readonly hash: string })[];
  readonly [field: string]: unknown;
}

/** @param name of the chain @throws EvmDownError if the encoded header does not have the block's hash */
export function encodeHeader(block: BlockJson, name: string): Buffer {
  const header = encodeHeaderFields(new AnswerObject(block, "block"), ETHEREUM_FIELDS);
  const hash = keccak256(header).toString("hex");
  if (hash === idOf(block.hash)) return header;
  throw new EvmDownError(`${name}'s EVM made a block ${block.hash} whose header hashes to 0x${hash}; use anvil 1.7.1`);
}

/** Without `0x`. */
export function idOf(hash: string): Id {
  return hash.slice(2);
}

export function fromHex(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

export function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
