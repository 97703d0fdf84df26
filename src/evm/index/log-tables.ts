/**
 * Read tables of the event logs of EVM chains. Table IDs 350–353. The logs of a transaction are in one row, or in several parts if they are
 * long. Lists lead to parts, so that a list has one row for each part that has logs of it, however many these are.
 */
import { bytes, type Codec, fixedHex, list, u32, u64 } from "../../primitives/codec/codec.ts";
import { struct } from "../../primitives/codec/struct.ts";
import { id, shortId } from "../../primitives/columns.ts";
import { table } from "../../primitives/table.ts";
import type { Hash } from "../block.ts";

/** Longer data are in `evm_log_data`, so that logs of others cost nothing by their length. */
export const SHORT_DATA_BYTES = 1024;

/** Bytes after which a part ends. The bound of a part is this and one log with short data. */
export const PART_BYTES = 8192;

/** u8 count, then topics; a log has at most four */
const topics: Codec<readonly Hash[]> = {
  decode: (reader) => Array.from({ length: reader.bytes[reader.take(1, "topics")]! }, () => id.decode(reader)),
  encode(writer, values) {
    writer.u8(values.length);
    for (const value of values) id.encode(writer, value);
  },
  json: (values, context) => `[${values.map((value) => id.json(value, context)).join(",")}]`,
};

interface LogData {
  readonly length: number;
  /** undefined: in `evm_log_data` */
  readonly bytes: Uint8Array | undefined;
}

/** u32 length, then the data if they are short */
const shortData: Codec<LogData> = {
  decode(reader) {
    const length = reader.u32();
    return { length, bytes: length > SHORT_DATA_BYTES ? undefined : reader.slice(length, "data") };
  },
  encode(writer, { length, bytes }) {
    writer.u32(length);
    if (bytes !== undefined) writer.raw(bytes);
  },
  json: ({ length }) => `${length}`,
};

/** `index`: in the block; nodes of some chains count within the transaction */
export const storedLog = struct({ index: u32, address: shortId, topics, data: shortData });

/** Logs of a transaction, in their order. `part`: from 0 */
export const evmLogs = table({
  id: 350,
  name: "evm_logs",
  key: { chain: u32, height: u64, index: u32, part: u32 },
  value: { logs: list(storedLog) },
});

/** Data that are too long for `evm_logs`. */
export const evmLogData = table({
  id: 351,
  name: "evm_log_data",
  key: { chain: u32, height: u64, index: u32, logIndex: u32 },
  value: { data: bytes },
});

/** Parts that have logs of a list: of an address, of a first topic, or of both. `list`: see `logList` */
export const evmLogLists = table({
  id: 352,
  name: "evm_log_lists",
  key: { chain: u32, list: fixedHex(10), height: u64, index: u32, part: u32 },
  value: {},
});

/**
 * Blocks whose logs are in the index: a chain's blocks may have been indexed by a version of Firn that did not keep logs. Absent: none.
 * Behind the chain: such a version went on.
 */
export const evmLogRanges = table({
  id: 353,
  name: "evm_log_ranges",
  key: { chain: u32 },
  /** both included. `logs`: number in these blocks */
  value: { first: u64, last: u64, logs: u64 },
});
