/** Commits of many rows to PostgreSQL. */
import fc from "fast-check";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { bool, bytes, fixedHex, list, optional, sentence, str, struct, u8, u16, u32, u64 } from "../../src/base/codec/codec.ts";
import { integer256, packedBytes, shortBytes, signedInteger, varint, varint64 } from "../../src/base/codec/varint.ts";
import { type Change, type Table, type TableKey, type TableValue, table } from "../../src/base/table/table.ts";
import { encodeRows } from "../../src/store/encoded-rows.ts";
import { Session } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { makeTables } from "../../src/store/postgres/schema.ts";
import { eventually } from "../patience.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";

const sums = table({ id: 60_001, name: "sums", key: { place: u32 }, value: { sum: u32 } });
const counts = table({ id: 60_002, name: "counts", key: { slot: u8 }, value: { count: u32 } });
const ROWS = 5000;

/** An empty store, and a client of its database. */
async function opened(tables: readonly Table[]): Promise<{ store: PostgresStore; client: Client }> {
  const { url } = await scratchDatabase();
  const client = new Client({ connectionString: url });
  // the database is dropped first
  client.on("error", () => {});
  await client.connect();
  const session = await Session.open({ url }, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
  await makeTables(session, { schema: "firn", tables, place: "the database" });
  await session.close();
  const lease = { check: async () => {}, lost: new Promise<never>(() => {}), release: async () => {} };
  const store = new PostgresStore({ address: { url }, tables, lease });
  onTestFinished(async () => {
    await store.close();
    await client.end();
  });
  return { store, client };
}

test.skipIf(!hasPostgres)(`a large commit that failed leaves nothing, and the next ones replace rows${skipReason}`, async () => {
  const { store, client } = await opened([sums, counts]);
  const commit = (factor: number) =>
    store.commit([
      ...Array.from({ length: ROWS }, (_, place) => ({ table: sums, key: { place }, value: { sum: factor * place } })),
      { table: counts, key: { slot: 0 }, value: { count: factor } },
    ]);
  const state = async () => {
    const rows = await store.scan(sums, { limit: 2 * ROWS });
    const factors = new Set(rows.slice(1).map(({ key, value }) => value.sum / key.place));
    return { rows: rows.length, factors: [...factors], count: (await store.get(counts, { slot: 0 }))?.count };
  };
  await commit(1);
  expect(await state()).toEqual({ rows: ROWS, factors: [1], count: 1 });
  await client.query("ALTER TABLE firn.counts ADD CONSTRAINT is_not_two CHECK (count <> 2)");
  for (const _ of ["the rows of sums are new to it", "they are known to be replaced"]) {
    await expect(commit(2)).rejects.toThrow();
    expect(await state()).toEqual({ rows: ROWS, factors: [1], count: 1 });
  }
  for (const factor of [3, 4]) {
    await commit(factor);
    expect(await state()).toEqual({ rows: ROWS, factors: [factor], count: factor });
  }
});

test.skipIf(!hasPostgres)(
  `a large commit whose session is ended while its rows are sent leaves nothing, and can be made again${skipReason}`,
  async () => {
    const { store, client } = await opened([sums]);
    const commit = (first: number) =>
      store.commit(Array.from({ length: ROWS }, (_, i) => ({ table: sums, key: { place: first + i }, value: { sum: i } })));
    await commit(0);
    await client.query("BEGIN; LOCK TABLE firn.sums IN EXCLUSIVE MODE");
    const ended = expect(commit(ROWS)).rejects.toMatchObject({ code: "store-unreachable" });
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'firn writer%' AND wait_event_type = 'Lock'`;
    await eventually(async () => (await client.query(end)).rowCount !== 0);
    await ended;
    await client.query("COMMIT");
    expect(await store.scan(sums, { limit: 3 * ROWS })).toHaveLength(ROWS);
    await commit(ROWS);
    expect(await store.scan(sums, { limit: 3 * ROWS })).toHaveLength(2 * ROWS);
  },
);

const kinds = table({
  id: 60_003,
  name: "kinds",
  key: { k1: u8, k2: u16, k4: u32, k8: u64, isFirst: bool, owner: fixedHex(3), name: str },
  value: {
    one: u8,
    two: u16,
    four: u32,
    eight: u64,
    isOn: bool,
    id: fixedHex(3),
    inner: list(struct({ share: u32, name: str })),
    data: bytes,
    short: shortBytes,
    packed: packedBytes,
    text: str,
    words: sentence,
    number: varint,
    amount: varint64,
    large: integer256,
    sum: signedInteger,
    maybe: optional(u64),
    last: list(u16),
  },
});

const u64s = fc.oneof(
  fc.constantFrom(0n, 1n, 9999n, 10_000n, 10n ** 8n, 10n ** 16n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const latin1 = fc.uint8Array({ maxLength: 6 }).map((value) => Buffer.from(value).toString("latin1"));
const id = fc.uint8Array({ minLength: 3, maxLength: 3 }).map((value) => Buffer.from(value).toString("hex"));
const someBytes = fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value));
const fixed = { one: fc.nat(255), two: fc.nat(65_535), four: fc.nat(2 ** 32 - 1), eight: u64s, isOn: fc.boolean(), id };
const anyKey = fc.record({
  k1: fixed.one,
  k2: fixed.two,
  k4: fixed.four,
  k8: u64s,
  isFirst: fixed.isOn,
  owner: id,
  name: latin1,
});
const anyValue = fc.record({
  ...fixed,
  inner: fc.array(fc.record({ share: fc.nat(), name: latin1 }), { maxLength: 3 }),
  data: someBytes,
  short: someBytes,
  packed: fc.oneof(someBytes, fc.constant(Buffer.alloc(300))),
  text: latin1,
  words: fc.string({ unit: "grapheme", maxLength: 6 }),
  number: fc.maxSafeNat().map((value) => value % 2 ** 49),
  amount: u64s,
  large: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  sum: fc.bigInt({ min: -(2n ** 100n), max: 2n ** 100n }),
  maybe: fc.option(u64s, { nil: undefined }),
  last: fc.array(fc.nat(65_535), { maxLength: 4 }),
});

test.skipIf(!hasPostgres)(`large commits leave what a map would hold, whatever the kinds of columns${skipReason}`, async () => {
  const { store } = await opened([kinds]);
  const rows = 2200;
  const keys = fc.sample(anyKey, { numRuns: 4 * rows, seed: 18 }) as TableKey<typeof kinds>[];
  const values = fc.sample(anyValue, { numRuns: 500, seed: 18 }) as TableValue<typeof kinds>[];
  const textOf = (row: Omit<Change, "table">) => Buffer.from(encodeRows([{ table: kinds, ...row } as Change]).bytes).toString("hex");
  const nameOf = (key: object) => Object.values(key).map(String).join();
  const expected = new Map<string, string>();
  const commit = async (from: number, count: number, isRemoved: (i: number) => boolean = () => false) => {
    const changes = keys.slice(from, from + count).map((key, i) => {
      const value = isRemoved(i) ? undefined : values[(from + i) % values.length];
      return { table: kinds, key, value } as Change;
    });
    await store.commit(changes);
    for (const change of changes) {
      if (change.value === undefined) expected.delete(nameOf(change.key));
      else expected.set(nameOf(change.key), textOf(change));
    }
    const found = await store.scan(kinds, { limit: 5 * rows });
    expect(new Map(found.map((row) => [nameOf(row.key), textOf(row)]))).toEqual(expected);
  };
  await commit(0, rows);
  // new rows, sent at once
  await commit(rows, rows);
  await commit(2 * rows, rows, (i) => i % 50 === 0);
  // some are there, so that all are written again; the next ones are staged
  await commit(2.5 * rows, rows);
  await commit(0, 2 * rows + 7, (i) => i % 3 === 0);
});
