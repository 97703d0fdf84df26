/**
 * What every store must do, whatever its backend: compared with rows in memory, for random tables, keys and ranges. A backend's test file
 * calls `storeConformance` with a function that opens an empty store.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bool, bytes, fixedHex, list, optional, str, struct, u8, u16, u32, u64 } from "../../src/base/codec/codec.ts";

import { type Change, type Table, type TableKey, type TableValue, table } from "../../src/base/table/table.ts";
import { encodeRows, RowEncoder } from "../../src/store/encoded-rows.ts";
import type { ScanRange, Store } from "../../src/store/store.ts";
import { eventually } from "../patience.ts";

const amounts = table({
  id: 60_001,
  name: "amounts",
  key: { kind: u8, height: u64, owner: fixedHex(2) },
  value: { amount: u64, note: bytes },
});
const names = table({ id: 60_002, name: "names", key: { chain: u16, name: str }, value: { owner: optional(fixedHex(2)) } });
const flags = table({ id: 60_003, name: "flags", key: { isOn: bool, place: u32 }, value: {} });
const nested = table({
  id: 60_004,
  name: "nested",
  key: { slot: u8 },
  value: { parts: list(struct({ name: str, share: u32 })), isLast: bool },
});

/** for backends that make their tables beforehand */
export const conformanceTables: readonly Table[] = [amounts, names, flags, nested];

type Key = TableKey<typeof amounts>;
const COLUMNS = ["kind", "height", "owner"] as const;

/** Few values, so that keys meet; both sides of 2^63, where signed and unsigned order differ. */
const heights = [0n, 1n, 255n, 256n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
const anyKey: fc.Arbitrary<Key> = fc.record({
  kind: fc.constantFrom(0, 1, 255),
  height: fc.constantFrom(...heights),
  owner: fc.constantFrom("0000", "00ff", "ff00", "ffff"),
});
const anyRange: fc.Arbitrary<ScanRange<typeof amounts>> = fc
  .record({
    depth: fc.integer({ min: 0, max: 3 }),
    key: anyKey,
    from: fc.option(fc.tuple(anyKey, fc.integer({ min: 1, max: 3 })), { nil: undefined }),
    after: fc.option(fc.tuple(anyKey, fc.integer({ min: 1, max: 3 })), { nil: undefined }),
    until: fc.option(fc.tuple(anyKey, fc.integer({ min: 1, max: 3 })), { nil: undefined }),
    reverse: fc.boolean(),
    limit: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ depth, key, from, after, until, reverse, limit }) => {
    // a bound names columns behind the prefix
    const bound = (given: [Key, number] | undefined) =>
      given && leading({ ...given[0], ...leading(key, depth) }, Math.max(depth, given[1]));
    const [low, past, end] = [bound(from), bound(after), bound(until)];
    return {
      prefix: leading(key, depth),
      reverse,
      limit,
      ...(low && { from: low }),
      ...(past && { after: past }),
      ...(end && { until: end }),
    };
  });

export interface Backend {
  name: string;
  /** an empty store; `close` also removes it */
  open(): Promise<{ store: Store; close(): Promise<void> }>;
}

export function storeConformance(backend: Backend): void {
  describe(`${backend.name} store`, () => {
    let store: Store;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ store, close } = await backend.open());
    });
    afterEach(() => close());

    test("scans give the rows that a sorted list gives, for every prefix, bound, direction and limit", async () => {
      const keys = fc.sample(anyKey, { numRuns: 60, seed: 7 });
      const rows = uniqueByName(keys).map((key) => ({ key, value: valueFor(key) }));
      await store.commit(rows.map(({ key, value }) => put(amounts, key, value)));
      await store.commit([put(names, { chain: 0, name: "AVAX" }, { owner: undefined }), put(flags, { isOn: true, place: 1 }, {})]);
      await fc.assert(
        fc.asyncProperty(anyRange, async (range) => {
          expect(await store.scan(amounts, range)).toEqual(expectedRows(rows, range));
        }),
        { numRuns: 1000 },
      );
    });

    test("commits of random changes leave what a map would hold", async () => {
      const anyChanges = fc.array(fc.tuple(anyKey, fc.boolean()), { maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(fc.array(anyChanges, { maxLength: 5 }), async (commits) => {
          await store.clear(amounts);
          const model = new Map<string, { key: Key; value: TableValue<typeof amounts> }>();
          for (const [round, changes] of commits.entries()) {
            const batch = changes.map(([key, isDeleted]) => put(amounts, key, isDeleted ? undefined : valueFor(key, round)));
            await store.commit(batch);
            for (const [key, isDeleted] of changes) {
              if (isDeleted) model.delete(nameOf(key));
              else model.set(nameOf(key), { key, value: valueFor(key, round) });
            }
          }
          expect(await store.scan(amounts, { limit: 1000 })).toEqual(sorted([...model.values()]));
        }),
        { numRuns: 50 },
      );
    });

    test("getMany gives values in the order of the keys, and undefined where there is no row", async () => {
      const [a, b, c] = heights.map((height) => ({ kind: 1, height, owner: "0001" })) as [Key, Key, Key];
      await store.commit([put(amounts, a, valueFor(a)), put(amounts, c, valueFor(c))]);
      expect(await store.getMany(amounts, [c, b, a, c])).toEqual([valueFor(c), undefined, valueFor(a), valueFor(c)]);
      expect(await store.get(amounts, b)).toBeUndefined();
    });

    test("a text in the key is whole: no longer text belongs to it", async () => {
      const rows = ["", "A", "AV", "AVAX", "AVB", "Z\u00ff"].map((name) => ({ key: { chain: 3, name }, value: { owner: "abcd" } }));
      await store.commit(rows.map(({ key, value }) => put(names, key, value)));
      expect(await store.scan(names, { limit: 10 })).toEqual(rows);
      expect(await store.scan(names, { prefix: { chain: 3, name: "AV" }, limit: 10 })).toEqual([rows[2]]);
      expect(await store.scan(names, { prefix: { chain: 3 }, after: { name: "AV" }, limit: 10 })).toEqual(rows.slice(3));
      expect(await store.scan(names, { prefix: { chain: 3 }, from: { name: "AV" }, reverse: true, limit: 10 })).toEqual(
        rows.slice(0, 3).reverse(),
      );
    });

    test("values of every kind of column come back as they were", async () => {
      const value = {
        parts: [
          { name: "caf\u00e9", share: 7 },
          { name: "", share: 2 ** 32 - 1 },
        ],
        isLast: true,
      };
      await store.commit([put(nested, { slot: 9 }, value), put(flags, { isOn: false, place: 2 ** 32 - 1 }, {})]);
      expect(await store.get(nested, { slot: 9 })).toEqual(value);
      expect(await store.get(flags, { isOn: false, place: 2 ** 32 - 1 })).toEqual({});
    });

    test("bytes of a value stay as they were read, whatever is read afterwards", async () => {
      const keys = heights.map((height) => ({ kind: 1, height, owner: "0001" }));
      await store.commit(keys.map((key, i) => put(amounts, key, { amount: BigInt(i), note: Buffer.alloc(100 + 9000 * i, i) })));
      const read = await store.getMany(amounts, keys);
      const scanned = await store.scan(amounts, { limit: 100 });
      for (const [i, value] of read.entries()) expect(Buffer.alloc(100 + 9000 * i, i).equals(value!.note)).toBe(true);
      for (const { value } of scanned) expect(Buffer.alloc(value.note.length, Number(value.amount)).equals(value.note)).toBe(true);
    });

    test("a scan of at most so many bytes ends with the row that reaches them, after at least one", async () => {
      const rows = heights.map((height, i) => ({
        key: { kind: 1, height, owner: "0001" },
        value: { amount: 0n, note: Buffer.alloc(1000 * i) },
      }));
      await store.commit(rows.map(({ key, value }) => put(amounts, key, value)));
      const some = async (range: Partial<ScanRange<typeof amounts>>) =>
        (await store.scan(amounts, { prefix: { kind: 1 }, limit: 100, ...range })).map(({ key }) => heights.indexOf(key.height));
      // 1000 + 2000 + 3000, and a few bytes for each row
      expect(await some({ maxBytes: 5900 })).toEqual([0, 1, 2, 3]);
      expect(await some({ maxBytes: 6500 })).toEqual([0, 1, 2, 3, 4]);
      expect(await some({ maxBytes: 6500, limit: 3 })).toEqual([0, 1, 2]);
      expect(await some({ maxBytes: 1, from: { height: heights[5]! } })).toEqual([5]);
      expect(await some({ maxBytes: 7500, reverse: true })).toEqual([7, 6]);
      expect(await some({ maxBytes: 1_000_000 })).toHaveLength(heights.length);
      expect(await some({ maxBytes: 1, limit: 0 })).toEqual([]);
      expect(await some({ maxBytes: 1, prefix: { kind: 2 } })).toEqual([]);
    });

    test("parts of a column are what cutting the values gives, and stay as they were read", async () => {
      const keys = heights.map((height) => ({ kind: 1, height, owner: "0001" }));
      const notes = keys.map((_, i) => Buffer.from(Array.from({ length: 3000 * i }, (_, at) => (at * 7 + i) % 256)));
      await store.commit(keys.map((key, i) => put(amounts, key, { amount: 0n, note: notes[i]! })));
      await store.commit([put(amounts, { ...keys[3]!, kind: 2 }, valueFor(keys[3]!))]);
      const anyPart = fc.record({ row: fc.nat(keys.length), offset: fc.nat(22_000), size: fc.nat(5000) });
      await fc.assert(
        fc.asyncProperty(fc.array(anyPart, { maxLength: 40 }), async (asked) => {
          const missing = { kind: 0, height: 7n, owner: "0001" };
          const parts = asked.map(({ row, offset, size }) => ({ key: keys[row] ?? missing, offset, size }));
          const found = await store.getParts(amounts, "note", parts);
          await store.getMany(amounts, keys);
          const expected = asked.map(({ row, offset, size }) => notes[row]?.subarray(offset, offset + size));
          expect(found.map((part) => part && Buffer.from(part).toString("hex"))).toEqual(expected.map((part) => part?.toString("hex")));
          // no part keeps a whole value in memory; a small one may be a piece of Node's pool, which Node 26 makes larger than poolSize
          const pool = Buffer.from("a").buffer.byteLength;
          for (const part of found) expect(part?.buffer.byteLength ?? 0).toBeLessThanOrEqual(Math.max(part?.length ?? 0, pool));
        }),
        { numRuns: 100 },
      );
    });

    test("a column without those before it is refused, not ignored", async () => {
      const scan = async () => store.scan(amounts, { prefix: { height: 1n }, limit: 1 });
      await expect(scan()).rejects.toMatchObject({ code: "key-gap" });
    });

    test("a snapshot sees one state while commits go on, and reads outside see the newest", async () => {
      const key = { kind: 0, height: 5n, owner: "0001" };
      await store.commit([put(amounts, key, valueFor(key, 1))]);
      await store.snapshot(async (reader) => {
        await store.commit([put(amounts, key, valueFor(key, 2)), put(amounts, { ...key, kind: 1 }, valueFor(key, 2))]);
        // a reader outside sees it, the snapshot would, too
        await eventually(async () => (await store.scan(amounts, { limit: 10 })).length === 2);
        expect(await reader.get(amounts, key)).toEqual(valueFor(key, 1));
        expect(await reader.getMany(amounts, [key])).toEqual([valueFor(key, 1)]);
        const whole = { key, offset: 0, size: valueFor(key, 1).note.length };
        expect(Buffer.concat((await reader.getParts(amounts, "note", [whole])) as Uint8Array[])).toEqual(valueFor(key, 1).note);
        expect(await reader.scan(amounts, { limit: 10 })).toHaveLength(1);
        expect(await store.get(amounts, key)).toEqual(valueFor(key, 2));
        await store.snapshot(async (inner) => expect(await inner.scan(amounts, { limit: 10 })).toHaveLength(2));
      });
      expect(await store.scan(amounts, { limit: 10 })).toHaveLength(2);
    });

    test("a commit that fails leaves nothing behind", async () => {
      const key = { kind: 0, height: 5n, owner: "0001" };
      const changes = [put(amounts, key, valueFor(key)), put(amounts, { ...key, owner: "not hex" }, valueFor(key))];
      await expect(store.commit(changes)).rejects.toThrow();
      expect(await store.scan(amounts, { limit: 10 })).toEqual([]);
      await store.commit([put(amounts, key, valueFor(key))]);
      expect(await store.scan(amounts, { limit: 10 })).toHaveLength(1);
    });

    test("rows that are encoded already are part of the commit, after its changes and in their order", async () => {
      const key = (height: bigint) => ({ kind: 0, height, owner: "0001" });
      await store.commit([put(amounts, key(1n), valueFor(key(1n), 1)), put(amounts, key(2n), valueFor(key(2n), 1))]);
      const encoder = new RowEncoder(1);
      encoder.add(flags, { isOn: true, place: 1 }, {});
      encoder.add(amounts, key(1n), valueFor(key(1n), 3));
      encoder.add(amounts, key(2n), undefined);
      const { bytes, ends } = encoder.finish();
      const handedOver = { bytes: Uint8Array.from([9, 9, ...bytes]).subarray(2), start: 0, ends: Int32Array.from(ends) };
      // a part of larger memory
      const [, ...rest] = [0, 1, 2].map((row) => ({
        ...handedOver,
        start: row === 0 ? 0 : ends[2 * row - 1]!,
        ends: handedOver.ends.subarray(2 * row, 2 * row + 2),
      }));
      await store.commit(
        [put(amounts, key(1n), valueFor(key(1n), 2)), put(amounts, key(2n), valueFor(key(2n), 2))],
        [
          { ...handedOver, ends: handedOver.ends.subarray(0, 2) },
          ...rest,
          encodeRows([put(nested, { slot: 7 }, { parts: [], isLast: true })]),
        ],
      );
      expect(await store.scan(amounts, { limit: 10 })).toEqual([{ key: key(1n), value: valueFor(key(1n), 3) }]);
      expect(await store.scan(flags, { limit: 10 })).toHaveLength(1);
      expect(await store.get(nested, { slot: 7 })).toEqual({ parts: [], isLast: true });
    });

    test("clear removes the rows of one table only", async () => {
      await store.commit([put(flags, { isOn: true, place: 1 }, {}), put(nested, { slot: 1 }, { parts: [], isLast: false })]);
      await store.clear(flags);
      expect(await store.scan(flags, { limit: 10 })).toEqual([]);
      expect(await store.scan(nested, { limit: 10 })).toHaveLength(1);
    });
  });
}

function put<T extends Table>(target: T, key: TableKey<T>, value: TableValue<T> | undefined): Change {
  return { table: target, key, value } as Change;
}

function valueFor({ height }: Key, round = 0): TableValue<typeof amounts> {
  return { amount: height, note: Buffer.from(`${height} ${round}`) };
}

function leading(key: Key, columns: number): Partial<Key> {
  return Object.fromEntries(COLUMNS.slice(0, columns).map((name) => [name, key[name]]));
}

function nameOf(key: Key): string {
  return COLUMNS.map((name) => key[name]).join();
}

function uniqueByName(keys: Key[]): Key[] {
  return [...new Map(keys.map((key) => [nameOf(key), key])).values()];
}

/** Compares the columns that both have. */
function compare(a: Partial<Key>, b: Partial<Key>): number {
  for (const name of COLUMNS) {
    const [x, y] = [a[name], b[name]];
    if (x === undefined || y === undefined) return 0;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

function sorted<R extends { key: Key }>(rows: R[]): R[] {
  return [...rows].sort((a, b) => compare(a.key, b.key));
}

function expectedRows<R extends { key: Key }>(
  rows: R[],
  { prefix = {}, from, after, until, reverse, limit }: ScanRange<typeof amounts>,
): R[] {
  const ordered = sorted(rows);
  if (reverse) ordered.reverse();
  const order = (a: Partial<Key>, b: Partial<Key>) => (reverse ? -compare(a, b) : compare(a, b));
  return ordered
    .filter(({ key }) => compare(key, prefix) === 0)
    .filter(
      ({ key }) =>
        (from ? order(key, from) >= 0 : true) && (after ? order(key, after) > 0 : true) && (until ? order(key, until) < 0 : true),
    )
    .slice(0, limit);
}
