/** Tests on a real store: 1,000 rows, read with a scheduler that ends the turn at every opportunity. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bytes, u8, u32 } from "../../src/base/codec/codec.ts";
import { table } from "../../src/base/table/table.ts";
import { LimitError, RequestWork } from "../../src/base/work/work.ts";
import { BudgetedReader } from "../../src/store/budgeted-reader.ts";
import { LmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { type ScanRange, scanAll } from "../../src/store/store.ts";
import { CountedWork } from "../base/work/counted-work.ts";
import { CountingReader } from "../index/counting-reader.ts";
import { scratchDirectory } from "./scratch.ts";

const numbers = table({ id: 60_100, name: "numbers", key: { kind: u8, place: u32 }, value: { square: u32 } });
/** of 16 KB a row */
const pictures = table({ id: 60_101, name: "pictures", key: { place: u32 }, value: { picture: bytes } });
const PICTURES = 300;
const PICTURE_BYTES = 16_384;
const ROWS = 1000;
let store: LmdbStore;

beforeAll(async () => {
  store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });
  const places = Array.from({ length: ROWS }, (_, place) => place);
  await store.commit(places.map((place) => ({ table: numbers, key: { kind: place % 2, place }, value: { square: place * place } })));
});
beforeAll(async () => {
  const places = Array.from({ length: PICTURES }, (_, place) => place);
  await store.commit(places.map((place) => ({ table: pictures, key: { place }, value: { picture: Buffer.alloc(PICTURE_BYTES, place) } })));
});
afterAll(() => store.close());

function budgeted({ requestRows = Number.POSITIVE_INFINITY, requestBytes = Number.POSITIVE_INFINITY } = {}) {
  const counted = new CountingReader(store);
  let before = 0;
  let mostInOneTurn = 0;
  const work = new CountedWork(() => {
    mostInOneTurn = Math.max(mostInOneTurn, counted.reads - before);
    before = counted.reads;
  });
  const reader = new BudgetedReader(counted, new RequestWork(work), { requestRows, requestBytes });
  return { work, counted, reader, mostInOneTurn: () => mostInOneTurn };
}

test("reads the same rows as the store, whatever the range", async () => {
  const place = fc.option(fc.record({ place: fc.nat(ROWS) }), { nil: undefined });
  const range = fc.record({ kind: fc.nat(1), from: place, after: place, until: place, reverse: fc.boolean(), limit: fc.nat(2 * ROWS) });
  await fc.assert(
    fc.asyncProperty(range, async ({ kind, from, after, until, reverse, limit }) => {
      const bounds = { ...(from && { from }), ...(after && { after }), ...(until && { until }) };
      const asked: ScanRange<typeof numbers> = { prefix: { kind }, ...bounds, reverse, limit };
      expect(await budgeted().reader.scan(numbers, asked)).toEqual(await store.scan(numbers, asked));
    }),
    { numRuns: 50 },
  );
  const keys = Array.from({ length: 3000 }, (_, i) => ({ kind: i % 3, place: (i * 7) % ROWS }));
  expect(await budgeted().reader.getMany(numbers, keys)).toEqual(await store.getMany(numbers, keys));
});

test("reads no more than some hundred rows in one turn, in one long read or in many side by side", async () => {
  const scanning = budgeted();
  await scanning.reader.scan(numbers, { limit: ROWS });
  const getting = budgeted();
  await getting.reader.getMany(
    numbers,
    Array.from({ length: ROWS }, (_, place) => ({ kind: place % 2, place })),
  );
  const many = budgeted();
  await Promise.all(Array.from({ length: 2000 }, (_, place) => many.reader.get(numbers, { kind: 0, place })));
  for (const { mostInOneTurn } of [scanning, getting, many]) expect(mostInOneTurn()).toBeLessThanOrEqual(256);
  expect(many.work.turns).toBeGreaterThan(500);
});

test("counts of parts of long values their own bytes, and lets others run between them", async () => {
  const parts = Array.from({ length: PICTURES }, (_, place) => ({ key: { place }, offset: place, size: 100 }));
  const { reader, work, mostInOneTurn } = budgeted({ requestRows: PICTURES, requestBytes: PICTURES * 300 });
  expect(await reader.getParts(pictures, "picture", parts)).toEqual(await store.getParts(pictures, "picture", parts));
  expect(mostInOneTurn()).toBeLessThanOrEqual(16);
  expect(work.turns).toBeGreaterThan(PICTURES / 16 - 1);
  const most = { requestBytes: PICTURES * 200 };
  const twice = [...parts, ...parts];
  await expect(budgeted(most).reader.getParts(pictures, "picture", twice)).rejects.toBeInstanceOf(LimitError);
  await expect(budgeted({ requestRows: PICTURES }).reader.getParts(pictures, "picture", twice)).rejects.toBeInstanceOf(LimitError);
});

test("ends a request that reads more rows than it may, and says what to ask instead", async () => {
  const { reader, counted } = budgeted({ requestRows: 300 });
  await expect(reader.scan(numbers, { limit: ROWS })).rejects.toThrow("ask for less at a time");
  await expect(reader.get(numbers, { kind: 0, place: 0 })).rejects.toBeInstanceOf(LimitError);
  expect(counted.rows).toBeLessThan(500);
});

test("ends in the middle of a read when the client is gone", async () => {
  const { reader, work, counted } = budgeted();
  const reading = reader.scan(numbers, { limit: ROWS });
  work.problem = new LimitError("client", "gone");
  await expect(reading).rejects.toThrow("gone");
  expect(counted.rows).toBeLessThan(ROWS / 2);
});

test("ends a request that reads more bytes than it may, in one long read or in many, soon after it did", async () => {
  const requestBytes = 100 * PICTURE_BYTES;
  const keys = Array.from({ length: PICTURES }, (_, place) => ({ place }));
  const reads = [
    (reader: BudgetedReader) => reader.scan(pictures, { limit: PICTURES }),
    (reader: BudgetedReader) => reader.getMany(pictures, keys),
    async (reader: BudgetedReader) => {
      for (const key of keys) await reader.get(pictures, key);
    },
  ];
  for (const read of reads) {
    const { reader, counted } = budgeted({ requestBytes });
    const ended = read(reader);
    await expect(ended).rejects.toThrow(
      `rows of more than ${requestBytes} bytes, which is all that one request may read; ask for less at a time, such as fewer addresses or smaller pages`,
    );
    await expect(ended).rejects.toMatchObject({ facts: { limit: "requestBytes" } });
    expect(counted.rows).toBeGreaterThan(99);
    expect(counted.rows).toBeLessThan(180);
  }
});

test("reads fewer rows in one turn where they are large, and says how many bytes it holds", async () => {
  const { reader, work, mostInOneTurn } = budgeted();
  expect(await reader.scan(pictures, { limit: 2 * PICTURES })).toHaveLength(PICTURES);
  expect(mostInOneTurn()).toBeLessThanOrEqual(65);
  expect(work.held).toBeGreaterThanOrEqual(PICTURES * PICTURE_BYTES);
  expect(work.held).toBeLessThan(1.01 * PICTURES * PICTURE_BYTES);
});

test("gives up its turn between the rows of a whole range, not only before the first of them", async () => {
  const { work, reader } = budgeted();
  const turnsAt: number[] = [];
  for await (const _ of scanAll(reader, numbers)) turnsAt.push(work.turns);
  expect(turnsAt).toHaveLength(ROWS);
  const mostInOneTurn = Math.max(...[...new Set(turnsAt)].map((turn) => turnsAt.filter((at) => at === turn).length));
  expect(mostInOneTurn).toBeLessThanOrEqual(256);
});
