/** Rows of the lists that lead to logs and to transfers of tokens. */
import { sha256Hex } from "../../primitives/hash.ts";
import { Recent } from "../../primitives/recent.ts";
import { type RowKey, rowKey } from "../../primitives/view.ts";
import type { Address, EvmLog, Hash } from "../block.ts";
import type { EvmFacts } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { logParts } from "./log-rows.ts";
import { evmLists } from "./log-tables.ts";
import { PART_ITEMS } from "./parts.ts";
import { blockEntries, type PartRef, windowOf } from "./postings.ts";

/** Which logs a list has: at least one of the two is given. */
export interface LogFilter {
  readonly address?: Address | undefined;
  /** first topic; a log without topics is only in the list of its address */
  readonly topic0?: Hash | undefined;
}

const LIST_DIGITS = 20;
/** tokens and their events return in most blocks */
const lists = new Recent<string, string>(20_000);

/**
 * Names a list in 80 bits, which nobody can hit with another one on purpose; a reader compares the logs all the same. Lists of addresses,
 * of topics, of both, and of tokens differ in the length of what is hashed.
 */
export function logList({ address = "", topic0 = "" }: LogFilter): string {
  return listName(address + topic0);
}

/** Names the list of a token's transfers. */
export function tokenList(token: Address): string {
  return listName(`${token}00`);
}

function listName(name: string): string {
  let list = lists.get(name);
  if (list === undefined) {
    list = sha256Hex(Buffer.from(name, "hex")).slice(0, LIST_DIGITS);
    lists.set(name, list);
  }
  return list;
}

/** What a block adds to a list (`blockEntries`). */
export interface ListEntries {
  readonly list: string;
  readonly entries: Uint8Array;
}

/** What a block adds to lists, each once. Pure. */
export function listEntries({ block: { height }, transactions }: EvmFacts): ListEntries[] {
  const found = new Map<string, PartRef[]>();
  const add = (list: string, index: number, part: number) => {
    const entries = found.get(list);
    const last = entries?.at(-1);
    if (entries === undefined) found.set(list, [{ index, part }]);
    else if (last!.index !== index || last!.part !== part) entries.push({ index, part });
  };
  for (const { transaction, transfers } of transactions) {
    const { index, logs } = transaction;
    for (const [part, ofPart] of logParts(logs).entries())
      for (const log of ofPart) for (const list of listsOf(log)) add(list, index, part);
    for (const [at, { token }] of transfers.entries()) add(tokenList(token), index, partOf(at));
  }
  return [...found].map(([list, parts]) => ({ list, entries: blockEntries(height, parts) }));
}

/** The part that a transfer or internal transaction is in. @param at its position in the transaction */
export function partOf(at: number): number {
  return Math.floor(at / PART_ITEMS);
}

function listsOf({ address, topics: [topic0] }: EvmLog): string[] {
  return topic0 === undefined ? [logList({ address })] : [logList({ address }), logList({ topic0 }), logList({ address, topic0 })];
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
