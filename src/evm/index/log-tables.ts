/**
 * Read tables of the event logs of EVM chains, and lists that lead to them and to transfers. Table IDs 350–355. The logs of a transaction
 * are in one row, or in several parts if they are long. Lists lead to parts, so that a part is listed once, however many logs of the list
 * it has.
 */

import { type Codec, fixedHex, list, struct, u32, u64 } from "../../base/codec/codec.ts";
import { CodecError } from "../../base/codec/error.ts";
import type { Reader, Writer } from "../../base/codec/reader.ts";
import { packedBytes, readVarint, shortBytes, varint, writeVarint } from "../../base/codec/varint.ts";
import { id, shortId, table } from "../../base/table/table.ts";
import type { Hash } from "../../sources/evm/parser/block.ts";
import { eventTopic } from "../decode/token-logs.ts";

/** Longer data are in `evm_log_data`, so that logs of others cost nothing by their length. */
export const SHORT_DATA_BYTES = 1024;

/** Bytes after which a part ends. The bound of a part is this and one log with short data. */
export const PART_BYTES = 8192;

/** Part of the format: append only. */
const KNOWN_TOPICS: readonly Hash[] = [
  "Transfer(address,address,uint256)",
  "Approval(address,address,uint256)",
  "ApprovalForAll(address,address,bool)",
  "TransferSingle(address,address,address,uint256,uint256)",
  "TransferBatch(address,address,address,uint256[],uint256[])",
  "Deposit(address,uint256)",
  "Withdrawal(address,uint256)",
  "Sync(uint112,uint112)",
  "Swap(address,uint256,uint256,uint256,uint256,address)",
  "Swap(address,address,int256,int256,uint160,uint128,int24)",
  "Mint(address,uint256,uint256)",
  "Burn(address,uint256,uint256,address)",
  "OwnershipTransferred(address,address)",
  "RoleGranted(bytes32,address,address)",
].map(eventTopic);
const numberOfTopic = new Map(KNOWN_TOPICS.map((topic, i) => [topic, i]));

const TOPIC_BYTES = 32;

/** u8 number of zeros in front, then the other bytes; for a known topic, TOPIC_BYTES + 1 + its number. */
function writeTopic(writer: Writer, topic: Hash): void {
  const known = numberOfTopic.get(topic);
  if (known !== undefined) {
    writer.u8(TOPIC_BYTES + 1 + known);
    return;
  }
  if (topic.length !== 2 * TOPIC_BYTES) throw new RangeError(`a topic needs ${TOPIC_BYTES} bytes of hex, got ${topic.length / 2}`);
  let zeros = 0;
  while (zeros < TOPIC_BYTES && topic.startsWith("00", 2 * zeros)) zeros++;
  writer.u8(zeros);
  writer.hex(topic.slice(2 * zeros));
}

function readTopic(reader: Reader): Hash {
  const at = reader.offset;
  const zeros = reader.u8();
  if (zeros <= TOPIC_BYTES) return "00".repeat(zeros) + reader.hex(TOPIC_BYTES - zeros);
  const topic = KNOWN_TOPICS[zeros - TOPIC_BYTES - 1];
  if (topic === undefined) throw new CodecError("length", at, { length: zeros, limit: TOPIC_BYTES + KNOWN_TOPICS.length });
  return topic;
}

/** u8 count, then topics; a log has at most four */
const topics: Codec<readonly Hash[]> = {
  decode: (reader) => Array.from({ length: reader.bytes[reader.take(1, "topics")]! }, () => readTopic(reader)),
  encode(writer, values) {
    writer.u8(values.length);
    for (const value of values) writeTopic(writer, value);
  },
  json: (values, context) => `[${values.map((value) => id.json(value, context)).join(",")}]`,
};

interface LogData {
  readonly length: number;
  /** undefined: in `evm_log_data` */
  readonly bytes: Uint8Array | undefined;
}

/** Varint: 0 if the data are short and follow, else their length. */
const shortData: Codec<LogData> = {
  decode(reader) {
    const length = readVarint(reader);
    if (length !== 0) return { length, bytes: undefined };
    const bytes = packedBytes.decode(reader);
    return { length: bytes.length, bytes };
  },
  encode(writer, { length, bytes }) {
    writeVarint(writer, bytes === undefined ? length : 0);
    if (bytes !== undefined) packedBytes.encode(writer, bytes);
  },
  json: ({ length }) => `${length}`,
};

/** `index`: in the block; nodes of some chains count within the transaction */
const storedLog = struct({ index: varint, address: shortId, topics, data: shortData });

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
  value: { data: packedBytes },
});

/**
 * Parts that have logs of a list: of an address, of a first topic, or of both; and parts that have transfers of a token. `list`: see
 * `logList` and `tokenList`. A row has the entries of a window of blocks (`postings.ts`), and is rewritten by each of them that has some.
 */
export const evmLists = table({
  id: 354,
  name: "evm_lists",
  key: { chain: u32, list: fixedHex(10), window: u64 },
  value: { entries: shortBytes },
});

/** Blocks whose NFTs have lists of their transfers, both included, as `evm_log_ranges` has it of logs. */
export const evmNftRanges = table({ id: 355, name: "evm_nft_ranges", key: { chain: u32 }, value: { first: u64, last: u64 } });

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
