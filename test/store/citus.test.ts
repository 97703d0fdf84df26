/**
 * The store's contract on Citus, by hand: FIRN_CITUS=postgres://user@host:port/database (an empty database with the extension, on the
 * coordinator) npx vitest run test/store/citus.test.ts
 */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fixedHex, u64 } from "../../src/base/codec/codec.ts";
import { type Change, type Table, table } from "../../src/base/table/table.ts";
import { checkMarks, hasCitus, isDistributed } from "../../src/store/postgres/citus.ts";
import { Session } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { makeTables } from "../../src/store/postgres/schema.ts";
import { conformanceTables, storeConformance } from "./conformance.ts";

/** of a schema that nobody else knows */
const NO_RIVALS = { check: async () => {}, lost: new Promise<never>(() => {}), release: async () => {} };
const url = process.env.FIRN_CITUS ?? "";
const shares = table({ id: 60_010, name: "shares", key: { owner: fixedHex(20) }, value: { amount: u64 } });

async function openScratch(tables: readonly Table[]) {
  const schema = `firn_${randomUUID()}`;
  const address = { url, schema };
  const session = await Session.open(address, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
  await makeTables(session, { schema, tables, place: "the database", distributes: await hasCitus(session) });
  expect(await isDistributed(session)).toBe(true);
  await checkMarks(session, "the database");
  const open = () => new PostgresStore({ address, tables, lease: NO_RIVALS, isDistributed: true });
  const store = open();
  const close = async () => {
    await store.close();
    await session.query({ text: `DROP SCHEMA "${schema}" CASCADE` });
    await session.close();
  };
  return { store, open, close, session };
}

describe.skipIf(url === "")("Citus", () => {
  storeConformance({ name: "Citus", open: () => openScratch(conformanceTables) });

  test("a snapshot of nodes that do not show the same commit is refused, until they do", async () => {
    const { store, close, session } = await openScratch([shares]);
    const key = { owner: "00".repeat(20) };
    await store.commit([{ table: shares, key, value: { amount: 7n } } as Change]);
    const read = () => store.snapshot(async (snapshot) => snapshot.get(shares, key));
    await session.query({ text: "UPDATE commit_mark SET commits = commits + 1" });
    await expect(read()).rejects.toMatchObject({ code: "store-nodes" });
    await session.query({ text: "UPDATE commit_mark SET commits = commits - 1" });
    expect(await read()).toEqual({ amount: 7n });
    await close();
  });

  test("a commit of many rows replaces those that are there", async () => {
    const { store, close } = await openScratch([shares]);
    const owner = (i: number) => i.toString(16).padStart(40, "0");
    for (const amount of [1n, 2n]) {
      await store.commit(
        Array.from({ length: 2500 }, (_, i) => ({ table: shares, key: { owner: owner(i) }, value: { amount } }) as Change),
      );
    }
    expect(await store.getMany(shares, [{ owner: owner(0) }, { owner: owner(2499) }])).toEqual([{ amount: 2n }, { amount: 2n }]);
    await close();
  });

  test("every snapshot of another process is of one commit, while rows move between nodes", async () => {
    const { store, open, close } = await openScratch([shares]);
    const reader = open();
    const owners = Array.from({ length: 64 }, (_, i) => i.toString(16).padStart(40, "0"));
    const amounts = owners.map(() => 1000n);
    const change = (i: number): Change => ({ table: shares, key: { owner: owners[i]! }, value: { amount: amounts[i]! } }) as Change;
    await store.commit(owners.map((_, i) => change(i)));
    let isDone = false;
    const check = async () => {
      for (let round = 0; !isDone; round++) {
        await reader.snapshot(async (snapshot) => {
          const half = await snapshot.getMany(
            shares,
            owners.slice(0, 32).map((owner) => ({ owner })),
          );
          const rest = await snapshot.getMany(
            shares,
            owners.slice(32).map((owner) => ({ owner })),
          );
          const sum = [...half, ...rest].reduce((total, row) => total + row!.amount, 0n);
          expect(sum, `round ${round}`).toBe(64_000n);
        });
      }
    };
    const checks = Promise.all([check(), check(), check()]);
    for (let commit = 0; commit < 400; commit++) {
      const [from, to] = [(commit * 7) % 64, (commit * 13 + 5) % 64];
      amounts[from]! -= 1n;
      amounts[to]! += 1n;
      await store.commit([...new Set([from, to])].map(change));
    }
    isDone = true;
    await checks;
    await reader.close();
    await close();
  });
});
