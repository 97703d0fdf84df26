/**
 * Parses Subnet-EVM's blocks as far as their order and their transactions require: RLP [header, transactions, uncles]. A header is Ethereum's;
 * what Subnet-EVM adds comes after the base fee. A devnet's headers are Ethereum's alone.
 */

import { keccak256 } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { encodeRlpList, type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems } from "../../base/codec/rlp.ts";
import { encodeTransactionList, readTransactionList } from "../../base/codec/transaction-list.ts";

const FEWEST_HEADER_FIELDS = 15;
const MOST_HEADER_FIELDS = 30;
const PARENT_HASH = 0;
const NUMBER = 8;
const TIMESTAMP = 11;
const BASE_FEE = 15;
const HASH_BYTES = 32;

export interface SubnetEvmBlock {
  /** keccak256 of the header */
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** in the native token's smallest unit, per gas */
  readonly baseFee: bigint | undefined;
  /** signed transactions in network form: a typed one is its type byte followed by a list */
  readonly transactions: readonly Buffer[];
}

export function parseSubnetEvmBlock(bytes: Uint8Array): SubnetEvmBlock {
  const parts = rlpItems(readRlp(bytes));
  if (parts.length !== 3) throw new CodecError("length", 0, { length: parts.length, expected: 3 }).under("block");
  const [header, transactions, uncles] = parts as [RlpItem, RlpItem, RlpItem];
  const fields = rlpItems(header);
  if (fields.length < FEWEST_HEADER_FIELDS || fields.length > MOST_HEADER_FIELDS) {
    const expected = `${FEWEST_HEADER_FIELDS} to ${MOST_HEADER_FIELDS}`;
    throw new CodecError("length", header.offset, { length: fields.length, expected }).under("header");
  }
  rlpItems(uncles);
  const baseFee = fields[BASE_FEE];
  return {
    id: keccak256(header.encoding).toString("hex"),
    parentId: rlpBytes(fields[PARENT_HASH]!, HASH_BYTES).toString("hex"),
    height: rlpInteger(fields[NUMBER]!),
    timestamp: rlpInteger(fields[TIMESTAMP]!),
    baseFee: baseFee && rlpInteger(baseFee, 32),
    transactions: readTransactionList(transactions),
  };
}

/**
 * The inverse of {@link parseSubnetEvmBlock}.
 * @param block.header as RLP
 * @param block.transactions in network form
 */
export function encodeSubnetEvmBlock({
  header,
  transactions,
}: {
  readonly header: Uint8Array;
  readonly transactions: readonly Uint8Array[];
}): Buffer {
  return encodeRlpList([header, encodeTransactionList(transactions), encodeRlpList([])]);
}
