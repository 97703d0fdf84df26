/**
 * C-chain blocks, as much of them as the atomic side needs: RLP [header, transactions, uncles, version, extra data]
 * (chain-formats 9.2). Headers of every era: 16 fields, of which later upgrades append more.
 */
import { CodecError } from "../primitives/codec/error.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Id } from "../primitives/id.ts";
import { encodeRlpString, type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems } from "./rlp.ts";
import { type AtomicTx, parseExtraData } from "./tx.ts";

const FEWEST_HEADER_FIELDS = 16;
/** with Helicon's */
const MOST_HEADER_FIELDS = 30;
const PARENT_HASH = 0;
const NUMBER = 8;
const TIMESTAMP = 11;
const EXTRA_DATA_HASH = 15;
const BASE_FEE = 16;
const EXTRA_DATA_GAS_USED = 17;

export interface EvmBlock {
  /** keccak256 of the header */
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** all zero before Apricot Phase 1 */
  readonly extraDataHash: Id;
  /** aAVAX per gas; since Apricot Phase 3 */
  readonly baseFee: bigint | undefined;
  /** since Apricot Phase 4 */
  readonly extraDataGasUsed: bigint | undefined;
  /** whether there are EVM transactions */
  readonly hasTransactions: boolean;
  readonly extraData: Uint8Array;
  readonly atomicTxs: readonly AtomicTx[];
  readonly bytes: Uint8Array;
}

/** @param batchesFrom when extra data became a batch: the time of Apricot Phase 5 */
export function parseEvmBlock(bytes: Uint8Array, batchesFrom: bigint): EvmBlock {
  const parts = rlpItems(readRlp(bytes));
  if (parts.length !== 5) throw new CodecError("length", 0, { length: parts.length, expected: 5 }).under("block");
  const [header, transactions, uncles, version, extra] = parts as [RlpItem, RlpItem, RlpItem, RlpItem, RlpItem];
  const fields = headerFields(header);
  const timestamp = rlpInteger(fields[TIMESTAMP]!);
  rlpItems(uncles);
  if (rlpInteger(version) !== 0n) throw new CodecError("version", version.offset, { read: rlpInteger(version), expected: 0 });
  const extraData = rlpBytes(extra);
  return {
    id: keccak256(header.encoding).toString("hex"),
    parentId: rlpBytes(fields[PARENT_HASH]!, 32).toString("hex"),
    height: rlpInteger(fields[NUMBER]!),
    timestamp,
    extraDataHash: rlpBytes(fields[EXTRA_DATA_HASH]!, 32).toString("hex"),
    baseFee: optionalInteger(fields[BASE_FEE]),
    extraDataGasUsed: optionalInteger(fields[EXTRA_DATA_GAS_USED]),
    hasTransactions: rlpItems(transactions).length > 0,
    extraData,
    atomicTxs: parseExtraData(extraData, { isBatch: timestamp >= batchesFrom }),
    bytes,
  };
}

/** What the header says of the extra data since Apricot Phase 1. */
export function hashExtraData(extraData: Uint8Array): Id {
  return keccak256(encodeRlpString(extraData)).toString("hex");
}

function headerFields(header: RlpItem): RlpItem[] {
  const fields = rlpItems(header);
  if (fields.length >= FEWEST_HEADER_FIELDS && fields.length <= MOST_HEADER_FIELDS) return fields;
  throw new CodecError("length", header.offset, { length: fields.length, expected: `${FEWEST_HEADER_FIELDS} to ${MOST_HEADER_FIELDS}` });
}

function optionalInteger(item: RlpItem | undefined): bigint | undefined {
  return item === undefined ? undefined : rlpInteger(item, 32);
}
