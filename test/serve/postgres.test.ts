/** Serving from a store in PostgreSQL. */
import { describe, expect, onTestFinished, test } from "vitest";
import { CommittedStates } from "../../src/api/state/committed-states.ts";
import { KeptAnswers } from "../../src/api/state/kept-answers.ts";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import { platformChain } from "../../src/chains/platform/tables.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { storeStatus } from "../../src/cli/store/store-status.ts";
import { FUJI_ID } from "../../src/network/presets.ts";
import { storeWatch } from "../../src/serve/serving-store.ts";
import { formatChange } from "../../src/store/format.ts";
import { CommitFeed } from "../../src/store/postgres/commit-feed.ts";
import { Session } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";
import { readingStore, scratchPostgresStore } from "../postgres/scratch-store.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { AWAY, filled, startNode } from "./postgres-node.ts";
import { serveHere } from "./serve-here.ts";
import { exchange } from "./small-node.ts";
import { heightChanges, smallNetwork } from "./small-store.ts";

describe.skipIf(!hasPostgres)(`a server of a store in PostgreSQL${skipReason}`, () => {
  test("answers from the newest commit", async () => {
    const { writer, address } = await filled();
    const store = await readingStore(address);
    const feed = store.feed!;
    const { height } = await startNode(store);
    expect((await height()).body).toContain('"height":"10"');
    const known = feed.version();
    await writer.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
    await expect.poll(() => feed.version()).not.toBe(known);
    const answer = await height();
    expect(answer.body).toContain('"height":"11"');
    expect(answer.headers.get("firn-height-p")).toBe("11");
  });

  test("asks the database only what was not asked of this state before", async () => {
    const { address } = await filled();
    const store = await readingStore(address);
    const states = new CommittedStates(store, smallNetwork, { kept: new KeptAnswers(0) });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const first = await states.use(async (state) => state);
    await turn();
    const before = store.traffic.roundTrips;
    // a snapshot is read for some seconds: a machine that is slower than that reads the state once more
    const later = await states.use(async (state) => state);
    if (later.reader === first.reader) expect(store.traffic.roundTrips).toBe(before);
    expect(later.heights).toEqual(first.heights);
  });

  test("says 503 with a sentence while the database is away, without telling where it is, and recovers", async () => {
    const { address, proxy } = await filled();
    const store = await readingStore(address);
    const feed = store.feed!;
    const { node, height, get } = await startNode(store);
    expect((await height()).status).toBe(200);
    const overview = "/v1/networks/mainnet/blockchains";
    proxy.cut();
    await expect.poll(() => feed.version()).toBeUndefined();
    const refused = await height();
    expect([refused.status, refused.body]).toEqual([503, `${AWAY}\n`]);
    const data = await get(overview);
    expect([data.status, JSON.parse(data.body).message]).toEqual([503, AWAY]);
    proxy.mend();
    expect((await height()).status).toBe(200);
    expect((await get(overview)).status).not.toBe(503);
    expect(node.defects).toEqual([]);
  });

  test("says 503 for a statement that takes too long, and reads no more in its transaction", async () => {
    const { writer, address } = await filled();
    const feed = await CommitFeed.open(address);
    const store = new PostgresStore({ address, tables: allTables, feed, readTimeoutMs: 1_000 });
    onTestFinished(() => store.close());
    const { node, height } = await startNode(store);
    // on a busy machine, even what is not locked may take so long
    await expect.poll(async () => (await height()).status).toBe(200);
    const defects = node.defects.length;
    const blocker = await Session.open(address, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
    onTestFinished(() => blocker.close());
    const known = feed.version();
    await blocker.query({ text: "BEGIN" });
    await blocker.query({ text: "LOCK TABLE firn.platform_chain IN ACCESS EXCLUSIVE MODE" });
    // after a commit a request reads another state; this one writes nothing of the table that is locked
    await writer.commit(heightChanges({ P: 11n, X: 21n, C: 31n }).filter(({ table }) => table !== platformChain));
    await expect.poll(() => feed.version()).not.toBe(known);
    for (const times of [1, 2]) {
      const slow = await height();
      expect([slow.status, slow.body]).toEqual([503, expect.stringMatching(/^the database took too long to read this; .*\n$/)]);
      expect(node.defects).toHaveLength(defects + times);
    }
    await blocker.query({ text: "ROLLBACK" });
    await expect.poll(async () => (await height()).status).toBe(200);
  });

  test("serves a store that another process writes, names the writer, and tells the database's size", async () => {
    const { store: writer, address } = await scratchPostgresStore();
    await writer.commit([formatChange({ networkId: FUJI_ID, genesisId: EMPTY_ID })]);
    const serving = await serveHere(scratchDirectory(), { store: address });
    onTestFinished(() => serving.stop());
    const port = Number(new URL(serving.url).port);
    const get = (path: string) => exchange(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const { checks } = JSON.parse((await get("/ext/health")).body);
    expect(checks.database).not.toHaveProperty("error");
    expect(checks.index.message.writer).toContain(`process ${process.pid}`);
    const metrics = (await get("/ext/metrics")).body;
    expect(metrics).toMatch(/firn_store_size_bytes [1-9]\d{6,}\n/);
    expect(metrics).not.toContain("firn_disk_size_bytes{");
    const reading = await readingStore(address);
    const { store } = await storeStatus(reading, "/nowhere");
    expect(store).toMatchObject({ directory: address.url, writer: expect.stringContaining(`process ${process.pid}`) });
    expect(store.bytes).toBeGreaterThan(1e6);
  });

  test("is not started without a store, and says what to do", async () => {
    const { url } = await scratchDatabase();
    await expect(serveHere(scratchDirectory(), { store: { url } })).rejects.toThrow(
      `there is no store in ${url}; create one with: firn import`,
    );
  });

  test("fails the check of the database when somebody changed its tables", async () => {
    const { address } = await filled();
    const store = await readingStore(address);
    const check = await storeWatch("/nowhere", store);
    expect(await check()).toBeUndefined();
    const session = await Session.open(address, { role: "test", isPipelined: false, statementTimeoutMs: 0 });
    onTestFinished(() => session.close());
    await session.query({ text: "ALTER TABLE platform_chain RENAME COLUMN height TO heights" });
    await expect(check()).rejects.toThrow(/the table platform_chain has no column height: somebody changed it/);
  });
});
