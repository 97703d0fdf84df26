/** Reads pages of event logs: part after part of transactions' logs, and takes the logs that are wanted. */

import type { Row } from "../../../../base/table/table.ts";
import { type LogFilter, logList, type StoredLog } from "../../../../evm/index/list-rows.ts";
import { evmLogData, evmLogs } from "../../../../evm/index/log-tables.ts";
import type { PartPlace } from "../../../../evm/index/postings.ts";
import { listedParts, partsAtOnce } from "../../../../evm/index/read-lists.ts";
import type { Position } from "../../context.ts";
import type { BlockBounds } from "../parameters.ts";
import { type EvmReading, formatAddress } from "../present-token.ts";
import { readTransactions } from "../present-transaction.ts";
import { presentPlace } from "../present-transfers.ts";
import type { EventLog } from "./log-schemas.ts";

/** A page ends early once its logs have more data than this, in bytes; it has at least one log. */
export const MOST_PAGE_DATA = 2 ** 20;

type Part = Row<typeof evmLogs>;
type PlacedLog = PartPlace & { readonly log: StoredLog };

/** Reads the next parts of a list, from a place that is included, or after it. */
type ReadParts = (start: { readonly from?: Partial<PartPlace>; readonly after?: PartPlace }, limit: number) => Promise<Part[]>;

interface LogQuery {
  readonly pageSize: number;
  readonly after: Position | undefined;
  /** newest first */
  readonly reverse: boolean;
  /** where the first page starts */
  readonly from?: Partial<PartPlace>;
  accepts(log: StoredLog): boolean;
}

interface LogPage {
  readonly logs: readonly PlacedLog[];
  /** of the last log, if there are more */
  readonly next: Position | undefined;
}

/** Logs of the chain, newest first. Costs at most two rows for each log of the page. */
export function readLogs(
  filter: LogFilter,
  { from, until }: BlockBounds,
  page: Pick<LogQuery, "pageSize" | "after">,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<LogPage> {
  const { address, topic0 } = filter;
  const range = { ...(until && { until }), reverse: true };
  const readAll: ReadParts = async (start, limit) => reader.scan(evmLogs, { prefix: { chain }, ...range, ...start, limit });
  const readListed: ReadParts = async (start, limit) => {
    const places = await listedParts(reader, { chain, list: logList(filter) }, { ...range, ...start }, limit);
    const keys = places.map((place) => ({ chain, ...place }));
    const parts = await reader.getMany(evmLogs, keys);
    return keys.map((key, i) => {
      const value = parts[i];
      if (value === undefined) throw new Error(`the logs of transaction ${key.index} of block ${key.height} have no row`);
      return { key, value };
    });
  };
  const accepts = (log: StoredLog) =>
    (address === undefined || log.address === address) && (topic0 === undefined || log.topics[0] === topic0);
  const isListed = address !== undefined || topic0 !== undefined;
  return readPage(isListed ? readListed : readAll, partsAtOnce(reader), { ...page, reverse: true, accepts, ...(from && { from }) });
}

/** Logs of a transaction, in their order. Costs at most one row for each log of the page. */
export function readTransactionLogs(
  place: Pick<PartPlace, "height" | "index">,
  page: Pick<LogQuery, "pageSize" | "after">,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<LogPage> {
  const { height, index } = place;
  const readParts: ReadParts = async ({ from, after }, limit) => {
    const start = { ...(from?.part !== undefined && { from: { part: from.part } }), ...(after && { after: { part: after.part } }) };
    return reader.scan(evmLogs, { prefix: { chain, height, index }, ...start, limit });
  };
  return readPage(readParts, partsAtOnce(reader), { ...page, reverse: false, accepts: () => true });
}

/** @param most parts that are read at once; each of them has a log of the list */
async function readPage(readParts: ReadParts, most: number, { pageSize, after, reverse, from, accepts }: LogQuery): Promise<LogPage> {
  const logs: PlacedLog[] = [];
  let dataLength = 0;
  const first = after && positionOf(after);
  let start: Parameters<ReadParts>[0] = first ? { from: first.place } : { ...(from && { from }) };
  for (;;) {
    const limit = Math.min(most, pageSize + 1 - logs.length);
    const parts = await readParts(start, limit);
    for (const { key, value } of parts) {
      const { height, index, part } = key;
      const isFirst = first !== undefined && first.place.height === height && first.place.index === index && first.place.part === part;
      for (const log of reverse ? value.logs.toReversed() : value.logs) {
        if (isFirst && (reverse ? log.index >= first.logIndex : log.index <= first.logIndex)) continue;
        if (!accepts(log)) continue;
        dataLength += log.data.length;
        const isFull = logs.length === pageSize || (logs.length > 0 && dataLength > MOST_PAGE_DATA);
        if (isFull) return { logs, next: endOf(logs.at(-1)!) };
        logs.push({ height, index, part, log });
      }
    }
    if (parts.length < limit) return { logs, next: undefined };
    const { height, index, part } = parts.at(-1)!.key;
    start = { after: { height, index, part } };
  }
}

function positionOf({ height, index, part, logIndex }: Position) {
  return { place: { height: BigInt(height!), index: Number(index), part: Number(part) }, logIndex: Number(logIndex) };
}

function endOf({ height, index, part, log }: PlacedLog): Position {
  return { height, index, part, logIndex: log.index };
}

/** Costs one row for each log with long data, each transaction and each block. */
export async function presentLogs(logs: readonly PlacedLog[], reading: EvmReading): Promise<EventLog[]> {
  const { chain } = reading.evmChain;
  const places = new Map(logs.map(({ height, index }) => [`${height} ${index}`, { height, index }]));
  const isLong = ({ log }: PlacedLog) => log.data.bytes === undefined;
  const long = logs.filter(isLong).map(({ height, index, log }) => ({ chain, height, index, logIndex: log.index }));
  const [transactions, longData] = await Promise.all([
    readTransactions([...places.values()], reading),
    reading.reader.getMany(evmLogData, long),
  ]);
  const happened = new Map([...places.keys()].map((name, i) => [name, presentPlace(transactions[i]!)]));
  let next = 0;
  return logs.map((placed) => {
    const { height, index, log } = placed;
    const data = isLong(placed) ? longData[next++]?.data : log.data.bytes;
    if (data?.length !== log.data.length) throw new Error(`the data of log ${log.index} of block ${height} have no row`);
    return {
      ...happened.get(`${height} ${index}`)!,
      txIndex: index,
      logIndex: log.index,
      address: formatAddress(log.address),
      topics: log.topics.map((topic) => `0x${topic}`),
      data: `0x${Buffer.from(data).toString("hex")}`,
    };
  });
}
