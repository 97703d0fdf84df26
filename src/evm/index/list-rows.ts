/** Rows of the lists that lead to logs and to transfers of tokens. */

import { sha256Hex } from "../../base/bytes/hash.ts";
import { Recent } from "../../base/collections/bounded-cache.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Row, TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey } from "../../base/table/view.ts";
import type { Address, EvmLog, Hash } from "../../sources/evm/parser/block.ts";
import { word } from "../abi.ts";
import { type Deployment, ERC20, type EvmFacts, type IcmEvent, type MetToken } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { type HoldingChanges, holdingChanges } from "./holding-rows.ts";
import { evmLists, evmLogData, evmLogRanges, evmLogs, evmNftRanges, PART_BYTES, SHORT_DATA_BYTES } from "./log-tables.ts";
import { type BlockMetrics, metricsOf } from "./metric-rows.ts";
import { blockEntries, type PartRef, windowOf } from "./postings.ts";
import { PART_ITEMS } from "./read-parts.ts";

// What the index needs of a block besides the rows that belong to this block alone.

/** Rows of event logs: the logs of each transaction in parts. `list-rows.ts` has the lists that lead to these. */
export type StoredLog = TableValue<typeof evmLogs>["logs"][number];

/** The position of a transaction, with which the keys of its rows begin. */
interface Place {
  readonly chain: number;
  readonly height: bigint;
  readonly index: number;
}

export function writeLogs(writer: BlockWriter, place: Place, logs: readonly EvmLog[]): void {
  for (const [part, ofPart] of logParts(logs).entries()) {
    writer.add(evmLogs, { ...place, part }, { logs: ofPart.map(storedOf) });
    for (const { index: logIndex, data } of ofPart) {
      if (data.length > SHORT_DATA_BYTES) writer.add(evmLogData, { ...place, logIndex }, { data });
    }
  }
}

/** Continues the range of blocks with logs, or begins a new one if the block before has none. */
export function writeLogRange(writer: BlockWriter, chain: number, { height, logs }: Pick<BlockSummary, "height" | "logs">): void {
  const before = writer.read(evmLogRanges, { chain });
  const found = BigInt(logs);
  const after =
    before?.last === height - 1n ? { ...before, last: height, logs: before.logs + found } : { first: height, last: height, logs: found };
  writer.change(evmLogRanges, { chain }, before, after);
}

/** The same for lists of NFTs' transfers. */
export function writeNftRange(writer: BlockWriter, chain: number, { height }: Pick<BlockSummary, "height">): void {
  const before = writer.read(evmNftRanges, { chain });
  const first = before?.last === height - 1n ? before.first : height;
  writer.change(evmNftRanges, { chain }, before, { first, last: height });
}

function storedOf({ index, address, topics, data }: EvmLog): StoredLog {
  const { length } = data;
  return { index, address, topics, data: { length, bytes: length > SHORT_DATA_BYTES ? undefined : data } };
}

/** The logs of a part's row as a block has them. @param long the data that are in rows of their own, by index of the log */
export function restoreLogs({ value }: Row<typeof evmLogs>, long: ReadonlyMap<number, Uint8Array>): EvmLog[] {
  return value.logs.map(({ index, address, topics, data }) => {
    const bytes = data.bytes ?? long.get(index);
    if (bytes?.length !== data.length) throw new FirnError("evm-rows", `lacks the data of log ${index}`, { index });
    return { index, address, topics, data: bytes };
  });
}

/** bytes of a row besides topics and data */
const LOG_BYTES = 29;
const TOPIC_BYTES = 32;

/** Pure. */
function logParts(logs: readonly EvmLog[]): EvmLog[][] {
  const parts: EvmLog[][] = [];
  let size = PART_BYTES;
  for (const log of logs) {
    if (size >= PART_BYTES) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)!.push(log);
    size += LOG_BYTES + TOPIC_BYTES * log.topics.length + (log.data.length > SHORT_DATA_BYTES ? 0 : log.data.length);
  }
  return parts;
}

export interface BlockSummary {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly hasTraces: boolean;
  /** numbers in the block */
  readonly transactions: number;
  readonly logs: number;
  /** see EvmFacts */
  readonly tokens: readonly MetToken[];
  readonly deployments: readonly PlacedDeployment[];
  /** each once */
  readonly destroyed: readonly Address[];
  readonly holdings: HoldingChanges;
  /** of logs and of tokens */
  readonly lists: readonly ListEntries[];
  readonly metrics: BlockMetrics;
  /** events of messengers */
  readonly icm: readonly IcmEvent[];
}

interface PlacedDeployment extends Deployment {
  /** of the transaction */
  readonly index: number;
}

export function summaryOf(facts: EvmFacts): BlockSummary {
  const { block, transactions, tokens } = facts;
  const { height, hash, parentHash, timestamp, hasTraces } = block;
  const deployments = transactions.flatMap(({ transaction: { index }, deployments: made }) => made.map((each) => ({ ...each, index })));
  const logs = block.transactions.reduce((sum, each) => sum + each.logs.length, 0);
  return {
    height,
    hash,
    parentHash,
    timestamp,
    hasTraces,
    transactions: block.transactions.length,
    logs,
    tokens,
    deployments,
    destroyed: [...new Set(transactions.flatMap((each) => each.destroyed))],
    holdings: holdingChanges(facts),
    lists: listEntries(facts),
    metrics: metricsOf(facts),
    icm: facts.icm,
  };
}

/** Contracts of a block's deployments, with repetitions. */
export function contractsOf({ deployments }: BlockSummary): Address[] {
  return deployments.map(({ contract }) => contract);
}

/** Which logs a list has: at least one of the two is given. */
export interface LogFilter {
  readonly address?: Address | undefined;
  /** first topic; a log without topics is only in the list of its address */
  readonly topic0?: Hash | undefined;
}

const LIST_DIGITS = 20;

/**
 * Names a list in 80 bits, which nobody can hit with another one on purpose; a reader compares the logs all the same. Lists of addresses,
 * of topics, of both, of tokens, and of NFTs differ in the length of what is hashed.
 */
export function logList({ address = "", topic0 = "" }: LogFilter): string {
  return listName(address + topic0);
}

/** Names the list of a token's transfers. */
export function tokenList(token: Address): string {
  return listName(`${token}00`);
}

/** Names the list of an NFT's transfers. */
export function nftList(token: Address, tokenId: bigint): string {
  return listName(`${token}${word(tokenId)}00`);
}

function listName(name: string): string {
  return sha256Hex(Buffer.from(name, "hex")).slice(0, LIST_DIGITS);
}

/** The lists that a contract's logs are in. */
interface ContractLists {
  /** of its transfers, if it is a token */
  readonly token: string;
  /** of a log without topics */
  readonly bare: readonly string[];
  readonly byTopic: Map<Hash, readonly string[]>;
}

/** tokens and their events return in most blocks */
const contracts = new Recent<Address, ContractLists>(4000);
/** first topics of a contract that are remembered; a contract may log any number of them */
const MOST_TOPICS = 16;

function listsOfContract(address: Address): ContractLists {
  let lists = contracts.get(address);
  if (lists === undefined) {
    lists = { token: tokenList(address), bare: [logList({ address })], byTopic: new Map() };
    contracts.set(address, lists);
  }
  return lists;
}

function listsOf({ address, topics: [topic0] }: EvmLog): readonly string[] {
  const { bare, byTopic } = listsOfContract(address);
  if (topic0 === undefined) return bare;
  let lists = byTopic.get(topic0);
  if (lists === undefined) {
    lists = [...bare, logList({ topic0 }), logList({ address, topic0 })];
    if (byTopic.size >= MOST_TOPICS) byTopic.clear();
    byTopic.set(topic0, lists);
  }
  return lists;
}

/** What a block adds to a list (`blockEntries`). */
interface ListEntries {
  readonly list: string;
  readonly entries: Uint8Array;
}

/** What a block adds to lists, each once. Pure. */
export function listEntries({ block: { height }, transactions }: EvmFacts): ListEntries[] {
  const found = new Map<string, PartRef[]>();
  for (const { transaction, transfers } of transactions) {
    const { index, logs } = transaction;
    let part = 0;
    for (const ofPart of logParts(logs)) {
      for (const log of ofPart) for (const list of listsOf(log)) addPart(found, list, index, part);
      part++;
    }
    let at = 0;
    for (const { token, tokenId, kind } of transfers) {
      const partOfTransfer = partOf(at++);
      addPart(found, listsOfContract(token).token, index, partOfTransfer);
      if (kind !== ERC20) addPart(found, nftList(token, tokenId), index, partOfTransfer);
    }
  }
  return [...found].map(([list, parts]) => ({ list, entries: blockEntries(height, parts) }));
}

/** Parts come in ascending order. */
function addPart(found: Map<string, PartRef[]>, list: string, index: number, part: number): void {
  const entries = found.get(list);
  const last = entries?.at(-1);
  if (entries === undefined) found.set(list, [{ index, part }]);
  else if (last!.index !== index || last!.part !== part) entries.push({ index, part });
}

/** The part that a transfer or internal transaction is in. @param at its position in the transaction */
export function partOf(at: number): number {
  return Math.floor(at / PART_ITEMS);
}

interface BlockPlace {
  readonly chain: number;
  readonly height: bigint;
}

/** Keys that `writeLists` reads. */
export function listKeys({ chain, height }: BlockPlace, lists: readonly ListEntries[]): RowKey[] {
  const window = windowOf(height);
  return lists.map(({ list }) => rowKey(evmLists, { chain, list, window }));
}

export function writeLists(writer: BlockWriter, { chain, height }: BlockPlace, lists: readonly ListEntries[]): void {
  const window = windowOf(height);
  for (const { list, entries } of lists) {
    const key = { chain, list, window };
    const before = writer.read(evmLists, key);
    writer.change(evmLists, key, before, { entries: before === undefined ? entries : Buffer.concat([before.entries, entries]) });
  }
}
