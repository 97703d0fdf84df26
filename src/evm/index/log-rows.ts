/** Rows of event logs: the logs of each transaction in parts. `list-rows.ts` has the lists that lead to these. */

import { FirnError } from "../../base/errors/errors.ts";
import type { Row, TableValue } from "../../base/table/table.ts";
import type { EvmLog } from "../../sources/evm/parser/block.ts";
import type { BlockSummary } from "./block-summary.ts";
import type { BlockWriter } from "./block-writer.ts";
import { evmLogData, evmLogRanges, evmLogs, PART_BYTES, SHORT_DATA_BYTES } from "./log-tables.ts";

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
export function logParts(logs: readonly EvmLog[]): EvmLog[][] {
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
