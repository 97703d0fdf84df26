/** Statements in PostgreSQL that nobody waits for any more are cancelled. */
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { utxosByAddress } from "../../src/index/tables.ts";
import type { PostgresAddress } from "../../src/store/postgres/address.ts";
import { CommitFeed } from "../../src/store/postgres/commit-feed.ts";
import { Session } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import type { StoreReader } from "../../src/store/store.ts";
import { delay } from "../patience.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { filled, startNode } from "./postgres-node.ts";
import { post } from "./small-node.ts";

const UTXOS = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "platform.getUTXOs",
  params: { addresses: ["P-avax1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqxpdk7q"] },
});

/** A server whose reads of UTXOs wait for a lock, as those of a huge table would wait for its disk. */
async function blocked(limits = DEFAULT_LIMITS) {
  const { address, direct } = await filled();
  const store = new PostgresStore({ address, tables: allTables, feed: await CommitFeed.open(address) });
  onTestFinished(() => store.close());
  const { node, height } = await startNode(store, { limits });
  expect((await height()).status).toBe(200);
  const holder = await session(direct);
  await holder.query({ text: "BEGIN" });
  await holder.query({ text: "LOCK TABLE firn.utxos_by_address IN ACCESS EXCLUSIVE MODE" });
  const watcher = await session(direct);
  const running = async () => {
    const text =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'firn reader%' AND wait_event_type = 'Lock'";
    return Number((await watcher.query({ text }))[0]![0]);
  };
  return { store, node, height, running, free: () => holder.query({ text: "ROLLBACK" }) };
}

async function session(address: PostgresAddress): Promise<Session> {
  const opened = await Session.open(address, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
  onTestFinished(() => opened.close());
  return opened;
}

/** @returns a client that asks, and goes away when it is told to */
function asks(port: number): { leave(): void } {
  const head = `POST /ext/bc/P HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${UTXOS.length}\r\n\r\n`;
  const socket = connect(port, "127.0.0.1", () => socket.write(head + UTXOS));
  onTestFinished(() => void socket.destroy());
  return { leave: () => socket.resetAndDestroy() };
}

describe.skipIf(!hasPostgres)(`a statement in PostgreSQL${skipReason}`, () => {
  test("is cancelled when the client that waited for it goes away, and others are answered", async () => {
    const { node, height, running, free } = await blocked();
    const client = asks(node.port);
    await expect.poll(running).toBe(1);
    client.leave();
    await expect.poll(running).toBe(0);
    expect((await height()).status).toBe(200);
    await free();
    expect((await post(node.port, "/ext/bc/P", UTXOS)).status).toBe(200);
    expect(node.defects).toEqual([]);
  });

  test("goes on while another reader of its snapshot waits, and answers that", async () => {
    const { store, running, free } = await blocked();
    let leave!: () => void;
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const read = async (reader: StoreReader) => reader.scan(utxosByAddress, { limit: 1 });
    const leaving = store.snapshot(read, gone);
    const staying = store.snapshot(read);
    await expect.poll(running).toBe(1);
    leave();
    // longer than statements are left alone that nobody needs
    await delay(1000);
    expect(await running()).toBe(1);
    await free();
    expect(await Promise.all([leaving, staying])).toEqual([[], []]);
  });

  test("is cancelled when the time of its request is up, and the client is told", async () => {
    const { node, running } = await blocked({ ...DEFAULT_LIMITS, requestSeconds: 1 });
    const answer = await post(node.port, "/ext/bc/P", UTXOS);
    expect(answer.body).toContain("the request was not answered within 1 s");
    await expect.poll(running).toBe(0);
    expect(node.defects).toEqual([]);
  });
});
