import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeAll, struct } from "../../../src/base/codec/codec.ts";
import { logList, restoreLogs } from "../../../src/evm/index/list-rows.ts";
import { evmLists, evmLogData, evmLogRanges, evmLogs, PART_BYTES, SHORT_DATA_BYTES } from "../../../src/evm/index/log-tables.ts";
import { readEntries } from "../../../src/evm/index/postings.ts";
import type { EvmBlock, EvmLog } from "../../../src/sources/evm/parser/block.ts";
import { chainOfLogs, EMITTERS, givenChain, givenLog, TOPICS } from "../../api/data/evm/log-chain.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

const rowCodec = struct(evmLogs.value);
/** of a log with four topics and short data */
const LARGEST_LOG = 29 + 4 * 32 + SHORT_DATA_BYTES;

function indexed(blocks: readonly EvmBlock[]): IndexedRows {
  const rows = new IndexedRows({ maxReorgDepth: 20 });
  rows.add(blocks);
  return rows;
}

test("Rows hold every log of every transaction, in parts of bounded size", () => {
  fc.assert(
    fc.property(givenChain, fc.boolean(), (given, restarts) => {
      const blocks = chainOfLogs(given, { restarts });
      const { rows } = indexed(blocks);
      const long = [...rows.all(evmLogData)];
      const found = new Map<string, EvmLog[]>();
      for (const row of rows.all(evmLogs)) {
        const { height, index, part } = row.key;
        const own = long.filter(({ key }) => key.height === height && key.index === index);
        const logs = restoreLogs(row, new Map(own.map(({ key, value }) => [key.logIndex, value.data])));
        const before = found.get(`${height} ${index}`) ?? [];
        expect(part === 0).toBe(before.length === 0);
        expect(encodeAll(rowCodec, row.value).length).toBeLessThan(PART_BYTES + LARGEST_LOG);
        found.set(`${height} ${index}`, [...before, ...logs]);
      }
      const wanted = blocks.flatMap(({ height, transactions }) =>
        transactions.flatMap(({ index, logs }) => (logs.length === 0 ? [] : [[`${height} ${index}`, logs] as const])),
      );
      expect(plain(found)).toEqual(plain(new Map(wanted)));
    }),
    { numRuns: 60 },
  );
});

function plain(logs: ReadonlyMap<string, readonly EvmLog[]>): unknown {
  return [...logs].map(([place, each]) => [place, each.map((log) => ({ ...log, data: Buffer.from(log.data).toString("hex") }))]);
}

test("A list leads once to each part with logs of it, and to no other", () => {
  fc.assert(
    fc.property(givenChain, (given) => {
      const { rows } = indexed(chainOfLogs(given));
      const wanted = new Set<string>();
      for (const { key, value } of rows.all(evmLogs)) {
        for (const { address, topics } of value.logs) {
          const filters = [{ address }, ...(topics[0] === undefined ? [] : [{ topic0: topics[0] }, { address, topic0: topics[0] }])];
          for (const filter of filters) wanted.add(`${logList(filter)} ${key.height} ${key.index} ${key.part}`);
        }
      }
      const found = [...rows.all(evmLists)].flatMap(({ key, value }) =>
        readEntries(key.window, value.entries).map(({ height, index, part }) => `${key.list} ${height} ${index} ${part}`),
      );
      expect(new Set(found)).toEqual(wanted);
      expect(found).toHaveLength(wanted.size);
    }),
    { numRuns: 60 },
  );
});

test("Lists of an address, of a topic and of both have names of their own", () => {
  const filters = [...EMITTERS.map((address) => ({ address })), ...TOPICS.map((topic0) => ({ topic0 }))];
  const both = EMITTERS.flatMap((address) => TOPICS.map((topic0) => ({ address, topic0 })));
  const names = [...filters, ...both].map(logList);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{20}$/);
});

const range = (rows: IndexedRows) => rows.rows.get(evmLogRanges, { chain: CHAIN });

test("Undoing and indexing blocks again leaves the rows of an index that never saw the others", () => {
  fc.assert(
    fc.property(givenChain, fc.array(fc.array(fc.array(givenLog, { maxLength: 3 }), { maxLength: 2 }), { maxLength: 3 }), (given, more) => {
      const blocks = chainOfLogs([...given, ...more]);
      const rows = indexed(blocks.slice(0, given.length));
      const before = rows.dump();
      rows.add(blocks.slice(given.length));
      if (more.length > 0) rows.undoTo(BigInt(given.length - 1));
      rows.commit();
      expect(rows.dump()).toEqual(before);
    }),
    { numRuns: 40 },
  );
});

test("The range of blocks with logs grows with the chain, and counts their logs", () => {
  const log = { address: EMITTERS[0]!, topics: [], data: new Uint8Array() };
  const rows = indexed(chainOfLogs([[[log]], [], [[log, log], [log]]]));
  expect(range(rows)).toEqual({ first: 0n, last: 2n, logs: 4n });
  rows.undoTo(0n);
  rows.commit();
  expect(range(rows)).toEqual({ first: 0n, last: 0n, logs: 1n });
});

test("A chain that a Firn without logs indexed has those of later blocks only, and again none after a reorganisation below them", () => {
  const blocks = chainOfLogs(Array.from({ length: 6 }, () => [[]]));
  const rows = indexed(blocks.slice(0, 3));
  rows.rows.apply([{ table: evmLogRanges, key: { chain: CHAIN }, value: undefined }]);
  rows.add(blocks.slice(3, 5));
  expect(range(rows)).toEqual({ first: 3n, last: 4n, logs: 0n });
  // such a Firn went on for a block
  rows.add(blocks.slice(5));
  rows.rows.apply([{ table: evmLogRanges, key: { chain: CHAIN }, value: { first: 3n, last: 4n, logs: 0n } }]);
  rows.add([{ ...blocks[5]!, height: 6n, hash: "66".repeat(32), parentHash: blocks[5]!.hash }]);
  expect(range(rows)).toEqual({ first: 6n, last: 6n, logs: 0n });
  rows.undoTo(5n);
  rows.commit();
  expect(range(rows)).toEqual({ first: 3n, last: 4n, logs: 0n });
});
