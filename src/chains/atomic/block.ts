/**
 * Parses C-chain blocks as far as their atomic transactions require: RLP [header, transactions, uncles, version, extra data] (chain-formats
 * 9.2). A header has 16 fields, to which upgrades have appended more. A development network's blocks are sealed by an EVM without extra
 * data: their headers are Ethereum's, with the base fee in the place of Avalanche's extra data hash.
 */

import { keccak256 } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { encodeRlpList, encodeRlpString, type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems } from "../../base/codec/rlp.ts";
import { encodeTransactionList, readTransactionList } from "../../base/codec/transaction-list.ts";
import { type AtomicTx, parseExtraData } from "./tx.ts";

const FEWEST_HEADER_FIELDS = 16;
/** as of Helicon */
const MOST_HEADER_FIELDS = 30;
const PARENT_HASH = 0;
const NUMBER = 8;
const GAS_USED = 10;
const TIMESTAMP = 11;
const EXTRA_DATA_HASH = 15;
const BASE_FEE = 16;
const EXTRA_DATA_GAS_USED = 17;
const HASH_BYTES = 32;
/** position of the base fee in Ethereum's headers, which have no extra data hash */
const ETHEREUM_BASE_FEE = 15;

export interface CChainBlock {
  /** keccak256 of the header */
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** all zero before Apricot Phase 1; undefined in a development network's block */
  readonly extraDataHash: Id | undefined;
  /** aAVAX per gas; since Apricot Phase 3 */
  readonly baseFee: bigint | undefined;
  /** since Apricot Phase 4; undefined in a development network's block */
  readonly extraDataGasUsed: bigint | undefined;
  /** gas used by EVM transactions */
  readonly gasUsed: bigint;
  /** signed EVM transactions in network form: a typed one is its type byte followed by a list */
  readonly transactions: readonly Buffer[];
  readonly extraData: Uint8Array;
  readonly atomicTxs: readonly AtomicTx[];
  readonly bytes: Uint8Array;
}

/** @param batchesFrom time from which extra data is a batch: Apricot Phase 5, Unix seconds */
export function parseCChainBlock(bytes: Uint8Array, batchesFrom: bigint): CChainBlock {
  const parts = rlpItems(readRlp(bytes));
  if (parts.length !== 5) throw new CodecError("length", 0, { length: parts.length, expected: 5 }).under("block");
  const [header, transactions, uncles, version, extra] = parts as [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem];
  const fields = headerFields(header);
  const timestamp = rlpInteger(fields[TIMESTAMP]!);
  rlpItems(uncles);
  if (rlpInteger(version) !== 0n) throw new CodecError("version", version.offset, { read: rlpInteger(version), expected: 0 });
  const extraData = rlpBytes(extra);
  const isEthereum = isEthereumHeader(fields);
  return {
    id: keccak256(header.encoding).toString("hex"),
    parentId: rlpBytes(fields[PARENT_HASH]!, 32).toString("hex"),
    height: rlpInteger(fields[NUMBER]!),
    timestamp,
    extraDataHash: isEthereum ? undefined : rlpBytes(fields[EXTRA_DATA_HASH]!, HASH_BYTES).toString("hex"),
    baseFee: optionalInteger(fields[isEthereum ? ETHEREUM_BASE_FEE : BASE_FEE]),
    extraDataGasUsed: isEthereum ? undefined : optionalInteger(fields[EXTRA_DATA_GAS_USED]),
    gasUsed: rlpInteger(fields[GAS_USED]!),
    transactions: readTransactionList(transactions),
    extraData,
    atomicTxs: parseExtraData(extraData, { isBatch: timestamp >= batchesFrom }),
    bytes,
  };
}

export interface SealedParts {
  /** the header as RLP */
  readonly header: Uint8Array;
  /** the transactions in network form */
  readonly transactions: readonly Uint8Array[];
  readonly extraData: Uint8Array;
}

/** The inverse of {@link parseCChainBlock}, for blocks that Firn seals. */
export function encodeCChainBlock({ header, transactions, extraData }: SealedParts): Buffer {
  const [uncles, version] = [encodeRlpList([]), encodeRlpString(new Uint8Array())];
  return encodeRlpList([header, encodeTransactionList(transactions), uncles, version, encodeRlpString(extraData)]);
}

/** Counts the EVM transactions of a block that was parsed before. */
export function countEvmTransactions(bytes: Uint8Array): number {
  return rlpItems(rlpItems(readRlp(bytes))[1]!).length;
}

/** The hash of the extra data that the header contains since Apricot Phase 1. */
export function hashExtraData(extraData: Uint8Array): Id {
  return keccak256(encodeRlpString(extraData)).toString("hex");
}

function headerFields(header: RlpItem): RlpItem[] {
  const fields = rlpItems(header);
  if (fields.length >= FEWEST_HEADER_FIELDS && fields.length <= MOST_HEADER_FIELDS) return fields;
  throw new CodecError("length", header.offset, { length: fields.length, expected: `${FEWEST_HEADER_FIELDS} to ${MOST_HEADER_FIELDS}` });
}

/** An Avalanche header has a 32-byte hash here; a base fee of that size would exceed all AVAX. */
function isEthereumHeader(fields: readonly RlpItem[]): boolean {
  return rlpBytes(fields[ETHEREUM_BASE_FEE]!).length < HASH_BYTES;
}

function optionalInteger(item: RlpItem | undefined): bigint | undefined {
  return item === undefined ? undefined : rlpInteger(item, 32);
}
