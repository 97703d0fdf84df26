/** Commits of many rows to PostgreSQL. */
import { Client } from "pg";
import { expect, test } from "vitest";
import { u8, u32 } from "../../src/primitives/codec/codec.ts";
import { table } from "../../src/primitives/table.ts";
import { Session } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { makeTables } from "../../src/store/postgres/schema.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";

const sums = table({ id: 60_001, name: "sums", key: { place: u32 }, value: { sum: u32 } });
const counts = table({ id: 60_002, name: "counts", key: { slot: u8 }, value: { count: u32 } });
const ROWS = 5000;

test.skipIf(!hasPostgres)(`a large commit that failed leaves nothing, and the next ones replace rows${skipReason}`, async () => {
  const { url } = await scratchDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  const session = await Session.open({ url }, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
  await makeTables(session, { schema: "firn", tables: [sums, counts], place: "the database" });
  await session.close();
  const lease = { check: async () => {}, lost: new Promise<never>(() => {}), release: async () => {} };
  const store = new PostgresStore({ address: { url }, tables: [sums, counts], lease });
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
  try {
    await commit(1);
    expect(await state()).toEqual({ rows: ROWS, factors: [1], count: 1 });
    await client.query("ALTER TABLE firn.counts ADD CONSTRAINT is_not_two CHECK (count <> 2)");
    await expect(commit(2)).rejects.toThrow();
    expect(await state()).toEqual({ rows: ROWS, factors: [1], count: 1 });
    for (const factor of [3, 4]) {
      await commit(factor);
      expect(await state()).toEqual({ rows: ROWS, factors: [factor], count: factor });
    }
  } finally {
    await store.close();
    await client.end();
  }
});
