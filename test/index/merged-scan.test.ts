import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { u8, u32 } from "../../src/base/codec/codec.ts";
import { type Change, table } from "../../src/base/table/table.ts";
import { mergedScan } from "../../src/index/merged-scan.ts";
import { LmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { CountingReader } from "./counting-reader.ts";

const items = table({ id: 60_010, name: "items", key: { list: u8, rank: u32, item: u8 }, value: { weight: u8 } });
type Item = { list: number; rank: number; item: number; weight: number };

let store: LmdbStore;
beforeEach(() => {
  store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });
});
afterEach(() => store.close());

function write(rows: readonly Item[]): Promise<void> {
  return store.commit(rows.map(({ weight, ...key }) => ({ table: items, key, value: { weight } }) as unknown as Change));
}

const small = fc.integer({ min: 0, max: 5 });
const anyItem: fc.Arbitrary<Item> = fc.record({ list: small, rank: small, item: small, weight: small });
const anyBound = fc.option(fc.record({ rank: small, item: small }), { nil: undefined });

test("a merged scan is a filter and a sort of all its ranges", async () => {
  const anyScan = fc.record({
    rows: fc.array(anyItem, { maxLength: 60 }),
    lists: fc.uniqueArray(small),
    ...{ from: anyBound, after: anyBound, until: anyBound },
    least: fc.option(small, { nil: undefined }),
    reverse: fc.boolean(),
    limit: fc.integer({ min: 0, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(anyScan, async ({ rows, lists, from, after, until, least, reverse, limit }) => {
      await store.clear(items);
      await write(rows);
      const found = await mergedScan(store, items, {
        prefixes: lists.map((list) => ({ list })),
        ...(from && { from }),
        ...(after && { after }),
        ...(until && { until }),
        ...(least !== undefined && { accepts: ({ value }) => value.weight >= least }),
        reverse,
        limit,
      });
      expect(found.map(({ key, value }) => ({ ...key, ...value }))).toEqual(
        expected(rows, lists, { from, after, until, least, reverse }).slice(0, limit),
      );
    }),
    { numRuns: 300 },
  );
});

interface Bounds {
  readonly from: Place | undefined;
  readonly after: Place | undefined;
  readonly until: Place | undefined;
  readonly least: number | undefined;
  readonly reverse: boolean;
}
type Place = Pick<Item, "rank" | "item">;

function expected(rows: readonly Item[], lists: readonly number[], { from, after, until, least = 0, reverse }: Bounds): Item[] {
  const direction = reverse ? -1 : 1;
  const order = (a: Place, b: Place) => direction * (a.rank - b.rank || a.item - b.item);
  const stored = new Map(rows.map((row) => [`${row.list} ${row.rank} ${row.item}`, row]));
  const inside = [...stored.values()].filter(
    (row) =>
      lists.includes(row.list) &&
      row.weight >= least &&
      (from === undefined || order(row, from) >= 0) &&
      (after === undefined || order(row, after) > 0) &&
      (until === undefined || order(row, until) < 0),
  );
  const sorted = inside.sort((a, b) => order(a, b) || lists.indexOf(a.list) - lists.indexOf(b.list));
  return sorted.filter((row, i) => i === 0 || order(sorted[i - 1]!, row) !== 0);
}

test("a page reads as much from long ranges as from short ones", async () => {
  const reads = async (length: number) => {
    await store.clear(items);
    await write(Array.from({ length }, (_, i) => ({ list: i % 8, rank: i, item: 0, weight: 0 })));
    const reader = new CountingReader(store);
    const prefixes = [0, 1, 2, 3, 4, 5, 6, 7].map((list) => ({ list }));
    expect(await mergedScan(reader, items, { prefixes, after: { rank: length >> 1 }, reverse: true, limit: 10 })).toHaveLength(10);
    return reader.reads;
  };
  const short = await reads(100);
  expect(await reads(10_000)).toBe(short);
  expect(short).toBeLessThan(6 * 10);
});

test("one range is read as far as the page goes, not a chunk further", async () => {
  await write(Array.from({ length: 100 }, (_, rank) => ({ list: 0, rank, item: 0, weight: 0 })));
  const reader = new CountingReader(store);
  await mergedScan(reader, items, { prefixes: [{ list: 0 }], limit: 10 });
  expect(reader.rows).toBe(10);
});
