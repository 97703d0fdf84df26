/** Rows of event logs: the logs of each transaction in parts, and the lists that lead to these. */

import { FirnError } from "../../primitives/errors.ts";
import { sha256Hex } from "../../primitives/hash.ts";
import { Recent } from "../../primitives/recent.ts";
import type { Row, TableValue } from "../../primitives/table.ts";
import type { Address, EvmLog, Hash } from "../block.ts";
import type { BlockSummary } from "./block-summary.ts";
import type { BlockWriter } from "./block-writer.ts";
import { evmLogData, evmLogLists, evmLogRanges, evmLogs, PART_BYTES, SHORT_DATA_BYTES } from "./log-tables.ts";

export type StoredLog = TableValue<typeof evmLogs>["logs"][number];

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
 * of topics and of both differ in the length of what is hashed.
 */
export function logList({ address = "", topic0 = "" }: LogFilter): string {
  const name = address + topic0;
  let list = lists.get(name);
  if (list === undefined) {
    list = sha256Hex(Buffer.from(name, "hex")).slice(0, LIST_DIGITS);
    lists.set(name, list);
  }
  return list;
}

/** The position of a transaction, with which the keys of its rows begin. */
interface Place {
  readonly chain: number;
  readonly height: bigint;
  readonly index: number;
}

export function writeLogs(writer: BlockWriter, place: Place, logs: readonly EvmLog[]): void {
  for (const [part, ofPart] of partsOf(logs).entries()) {
    writer.add(evmLogs, { ...place, part }, { logs: ofPart.map(storedOf) });
    const { chain, height, index } = place;
    for (const list of listsOf(ofPart)) writer.add(evmLogLists, { chain, list, height, index, part }, {});
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

function partsOf(logs: readonly EvmLog[]): EvmLog[][] {
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

function listsOf(logs: readonly EvmLog[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { address, topics } of logs) {
    const [topic0] = topics;
    found.add(logList({ address }));
    if (topic0 !== undefined) found.add(logList({ topic0 })).add(logList({ address, topic0 }));
  }
  return found;
}
