/** The store's contract on PostgreSQL, and the rows as SQL sees them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Table } from "../../src/base/table/table.ts";
import { Session } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { makeTables } from "../../src/store/postgres/schema.ts";
import { bytesToText, escapeText, keyToText, textToBytes, textToKey, unescapeText } from "../../src/store/postgres/text.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";
import { conformanceTables, storeConformance } from "./conformance.ts";

/** of a database that nobody else knows */
const NO_RIVALS = { check: async () => {}, lost: new Promise<never>(() => {}), release: async () => {} };

async function openScratch(tables: readonly Table[]) {
  const { url } = await scratchDatabase();
  const address = { url };
  const session = await Session.open(address, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
  await makeTables(session, { schema: "firn", tables, place: "the database" });
  await session.close();
  const store = new PostgresStore({ address, tables, lease: NO_RIVALS });
  return { store, close: () => store.close() };
}

describe.skipIf(!hasPostgres)(`PostgreSQL${skipReason}`, () => {
  storeConformance({ name: "PostgreSQL", open: () => openScratch(conformanceTables) });

  test("several processes that make the tables at once find them made, whoever was first", async () => {
    const { url } = await scratchDatabase();
    const options = { schema: "firn", tables: conformanceTables, place: "the database" };
    const sessions = await Promise.all(
      Array.from({ length: 5 }, () => Session.open({ url }, { role: "test", isPipelined: false, statementTimeoutMs: 0 })),
    );
    await Promise.all(sessions.map((session) => makeTables(session, options)));
    // later ones make what is missing by then
    await sessions[0]!.query({ text: "ALTER TABLE firn.store_lease DROP COLUMN session" });
    await Promise.all(sessions.map((session) => makeTables(session, options)));
    const [[columns]] = (await sessions[1]!.query({
      text: "SELECT count(*)::text FROM pg_attribute WHERE attrelid = 'firn.store_lease'::regclass AND attname IN ('pid', 'session') AND NOT attisdropped",
    })) as [[string]];
    expect(columns).toBe("2");
    await Promise.all(sessions.map((session) => session.close()));
  });
});

describe("text in PostgreSQL", () => {
  const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array).toString("latin1"));
  const tricky = fc
    .array(fc.constantFrom("\0", "\x01", "\x02", "\\", "\\x00", "\\\\x", "é", "\u00ff", "\u00c3\u00a9", "A", "'", '"'), { maxLength: 8 })
    .map((parts) => parts.join(""));
  const latin1 = fc.oneof(bytes, tricky);

  test("bytes come back, and PostgreSQL can hold their text", () => {
    fc.assert(
      fc.property(latin1, (value) => {
        expect(textToBytes(bytesToText(value))).toBe(value);
        expect(bytesToText(value)).not.toContain("\0");
      }),
    );
  });

  test("UTF-8 is readable", () => {
    expect(bytesToText(Buffer.from("USD₮ café").toString("latin1"))).toBe("USD₮ café");
    expect(bytesToText("a\\b\xff\0")).toBe("a\\\\b\\xff\\x00");
  });

  test("keys come back, and sort like their bytes", () => {
    fc.assert(
      fc.property(latin1, latin1, (a, b) => {
        expect(textToKey(keyToText(a))).toBe(a);
        expect(keyToText(a)).not.toContain("\0");
        const order = Buffer.compare(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
        expect(Buffer.compare(Buffer.from(keyToText(a)), Buffer.from(keyToText(b)))).toBe(order);
      }),
    );
  });

  test("Unicode text comes back", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), tricky), (text) => {
        expect(unescapeText(escapeText(text))).toBe(text);
      }),
    );
  });
});
