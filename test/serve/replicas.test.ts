/** Serving from the standbys of a store's database. */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import { causeOf, FirnError } from "../../src/base/errors/errors.ts";
import { platformChain } from "../../src/chains/platform/tables.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { FUJI_ID } from "../../src/network/presets.ts";
import { formatChange } from "../../src/store/format.ts";
import { outageOf } from "../../src/store/outage.ts";
import type { PostgresAddress } from "../../src/store/postgres/address.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres.ts";
import { ReplicatedStore } from "../../src/store/postgres/replicated-store.ts";
import type { Store } from "../../src/store/store.ts";
import { FirnProcess, run } from "../cli/firn.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { readingStore, scratchPostgresStore } from "../postgres/scratch-store.ts";
import { PostgresServer } from "../postgres/server.ts";
import { Standby } from "../postgres/standby.ts";
import { TcpProxy } from "../postgres/tcp-proxy.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { post, startSmallNode } from "./small-node.ts";
import { heightChanges, smallNetwork } from "./small-store.ts";

const HEIGHT = '{"jsonrpc":"2.0","id":1,"method":"platform.getHeight","params":{}}';

describe.skipIf(!hasPostgres)(`a server with replicas${skipReason}`, () => {
  let primary: PostgresServer;
  let standby: Standby;
  let stores = 0;

  beforeAll(async () => {
    primary = await PostgresServer.start();
    standby = await Standby.start(primary);
  });
  afterAll(async () => {
    await standby?.remove();
    await primary?.remove();
  });

  async function openToWrite(address: PostgresAddress): Promise<Store> {
    const store = await openPostgresStore({ address, tables: allTables }, { mode: "write" });
    onTestFinished(() => store.close());
    return store;
  }

  /** A store of its own on both servers, at height 10. */
  async function filled() {
    const schema = `store_${++stores}`;
    const writer = await openToWrite({ url: primary.url(), schema });
    const commit = (P: bigint) => writer.commit(heightChanges({ P, X: 20n, C: 30n }));
    await writer.commit([formatChange(smallNetwork), ...heightChanges({ P: 10n, X: 20n, C: 30n })]);
    await standby.reach(primary);
    return { writer, commit, places: { primary: { url: primary.url(), schema }, replica: { url: standby.url(), schema } } };
  }

  async function served(places: { primary: PostgresAddress; replicas: readonly PostgresAddress[] }, maxLagMs?: number) {
    const changes: string[] = [];
    const store = await ReplicatedStore.open({
      ...places,
      tables: allTables,
      maxLagMs,
      onChange: (place, problem) => changes.push(`${new URL(place).port} ${problem ?? "is back"}`),
    });
    onTestFinished(() => store.close());
    const node = await startSmallNode({ store, generation: () => store.openings });
    onTestFinished(() => node.remove());
    const ask = async (headers: Readonly<Record<string, string>> = {}) => {
      const { status, body, headers: answered } = await post(node.port, "/ext/bc/P", HEIGHT, headers);
      const height = /"height":"(\d+)"/.exec(body)?.[1];
      // the header is of the state that the answer is of
      if (status === 200) expect(answered.get("firn-height-p")).toBe(height);
      return status === 200 ? height : body;
    };
    const [ofPrimary, ofReplica] = [() => store.places()[0]!, () => store.places()[1]!];
    return { store, node, changes, ask, ofPrimary, ofReplica };
  }

  async function onStandby(use: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client(standby.url());
    await client.connect();
    try {
      await use(client);
    } finally {
      await client.end();
    }
  }

  async function pausedReplay(): Promise<void> {
    await standby.pause();
    onTestFinished(() => standby.resume());
  }

  test("answers from the replica, with its heights; a height that it has yet to get comes from the primary", async () => {
    const { commit, places } = await filled();
    const { ask, ofReplica, node } = await served({ primary: places.primary, replicas: [places.replica] });
    expect(ofReplica()).toMatchObject({ isRead: true, problem: undefined });
    await pausedReplay();
    await commit(11n);
    expect(await ask()).toBe("10");
    expect(await ask({ "Firn-Min-Height-P": "10" })).toBe("10");
    expect(await ask({ "Firn-Min-Height-P": "11" })).toBe("11");
    expect(await ask({ "Firn-Min-Height-P": "12" })).toBe(
      "height 12 of chain P was asked for; 10 is served at the moment; try again later\n",
    );
    expect(await ask()).toBe("10");
    await standby.resume();
    await expect.poll(() => ask()).toBe("11");
    expect(node.defects).toEqual([]);
  });

  test("leaves a replica out that lags too much, and reads it again when it has caught up", async () => {
    const { commit, places } = await filled();
    const { ask, ofReplica, changes } = await served({ primary: places.primary, replicas: [places.replica] }, 1000);
    await expect.poll(ofReplica).toMatchObject({ isRead: true });
    await pausedReplay();
    await commit(11n);
    await expect
      .poll(ofReplica)
      .toMatchObject({ isRead: false, problem: expect.stringMatching(/^it lags by \d+\.\d s; at most 1 s are allowed$/) });
    expect(await ask()).toBe("11");
    await standby.resume();
    await expect.poll(ofReplica).toMatchObject({ isRead: true, problem: undefined });
    expect(await ask()).toBe("11");
    const { port } = standby.server;
    expect(changes).toEqual(expect.arrayContaining([expect.stringContaining(`${port} it lags by`), `${port} is back`]));
  });

  test("answers from the primary while the replica is down, from the replica while the primary is, and says 503 without either", async () => {
    const { commit, places } = await filled();
    const [{ proxy: own, url }, { proxy: other, url: replicaUrl }] = [await throughProxy(primary), await throughProxy(standby.server)];
    const { ask, ofPrimary, ofReplica, store, node } = await served({
      primary: { ...places.primary, url },
      replicas: [{ ...places.replica, url: replicaUrl }],
    });
    expect(await ask()).toBe("10");

    other.cut();
    await expect.poll(ofReplica).toMatchObject({ isRead: false, problem: expect.any(String) });
    await commit(11n);
    await expect.poll(() => ask()).toBe("11");
    own.cut();
    await expect.poll(ofPrimary).toMatchObject({ problem: expect.any(String) });
    expect(await ask()).toBe("the database of this server does not answer at the moment; try again later\n");
    await expect(store.get(platformChain, { slot: 0 })).rejects.toThrow(/^nothing of the store can be read: /);

    other.mend();
    await expect.poll(ofReplica).toMatchObject({ isRead: true, problem: undefined });
    await expect.poll(() => ask()).toBe("11");
    expect(await ask({ "Firn-Min-Height-P": "12" })).toContain("height 12 of chain P was asked for");
    expect(await store.writer()).toBe("unknown, since the primary does not answer");
    own.mend();
    await expect.poll(ofPrimary).toMatchObject({ problem: undefined });
    expect(node.defects).toEqual([]);

    const strict = await served({ primary: { ...places.primary, url }, replicas: [places.replica] }, 1000);
    await pausedReplay();
    own.cut();
    const reason = /^it may lag by \d+\.\d s, since the primary does not answer; at most 1 s are allowed$/;
    await expect.poll(strict.ofReplica).toMatchObject({ isRead: false, problem: expect.stringMatching(reason) });
    expect(await strict.ask()).toBe("the database of this server does not answer at the moment; try again later\n");
  });

  test("leaves out what holds another network, is another server or is no standby, and starts without the primary", async () => {
    const { places } = await filled();
    const foreign = await openToWrite({ url: primary.url(), schema: "foreign" });
    await foreign.commit([formatChange({ networkId: FUJI_ID, genesisId: EMPTY_ID })]);
    await standby.reach(primary);
    const { address: elsewhere, store: copy } = await scratchPostgresStore();
    await copy.commit([formatChange(smallNetwork), ...heightChanges({ P: 99n, X: 20n, C: 30n })]);
    const replicas = [{ url: standby.url(), schema: "foreign" }, elsewhere, places.primary, { ...places.replica, schema: "missing" }];
    const { ask, store, changes } = await served({ primary: places.primary, replicas });
    expect(store.places().map(({ problem }) => problem)).toEqual([
      undefined,
      expect.stringContaining("holds another network than the one that is served here"),
      "it is no standby of the primary, but another server",
      "it is no standby: it was promoted, or is a server of its own",
      expect.stringContaining("there is no store in"),
    ]);
    expect(changes).toHaveLength(4);
    expect(await ask()).toBe("10");

    const gone = { url: "postgres://postgres:secret@127.0.0.1:9/postgres" };
    const alone = await served({ primary: gone, replicas: [places.replica] });
    expect(await alone.ask()).toBe("10");
    expect(JSON.stringify([alone.store.places(), alone.changes])).not.toContain("secret");
    await expect(ReplicatedStore.open({ primary: gone, replicas: [gone], tables: allTables })).rejects.toThrow(/cannot be reached/);
  });

  test("never mixes states when a standby cancels what is read: the request fails, the next one is answered", async () => {
    const { commit, places } = await filled();
    const onPrimary = new Client(primary.url());
    await onPrimary.connect();
    onTestFinished(() => onPrimary.end());
    const setDelay = (value: string) =>
      onStandby(async (client) => {
        await client.query(`ALTER SYSTEM SET max_standby_streaming_delay = '${value}'`);
        await client.query("SELECT pg_reload_conf()");
      });
    await setDelay("0");
    onTestFinished(() => setDelay("30s"));
    const { ask, store } = await served({ primary: places.primary, replicas: [places.replica] });
    const cancelled = await store
      .snapshot(async (reader) => {
        for (let height = 11n; ; height++) {
          expect((await reader.get(platformChain, { slot: 0 }))!.height).toBe(10n);
          await commit(height);
          await onPrimary.query(`VACUUM ${places.primary.schema}.platform_chain`);
          await standby.reach(primary);
        }
      })
      .catch((error: unknown) => error);
    // what the standby says is lost if it closes the connection just when more is asked
    expect(["store-cancelled", "store-unreachable"]).toContain(causeOf(cancelled, FirnError)?.category);
    expect(outageOf(cancelled)?.message).toMatch(/^the database of this server .*; try again/);
    await expect.poll(() => ask()).toMatch(/^1\d$/);
  });

  test("is what firn serve starts, whose workers read the replica; health, metrics and firn status name the places", async () => {
    const writer = await openToWrite({ url: primary.url() });
    await writer.commit([formatChange({ networkId: FUJI_ID, genesisId: EMPTY_ID })]);
    await standby.reach(primary);
    const flags = ["--store", primary.url(), "--store-replica", standby.url()];
    const firn = new FirnProcess(["serve", ...flags, "--data-dir", scratchDirectory(), "--http-port", "0", "--workers", "2"]);
    const [, url] = await firn.printed(/serving (\S+)/);
    const get = async (path: string) => (await fetch(`${url}${path}`)).text();
    const { checks } = JSON.parse(await get("/ext/health"));
    expect(checks.database.error).toBeUndefined();
    expect(checks.index.message.places).toEqual([
      { name: "primary", place: primary.url(), isRead: false },
      { name: "replica 1", place: standby.url(), isRead: true, lagSeconds: expect.any(Number) },
    ]);
    expect(checks.index.message.writer).toContain(`process ${process.pid}`);
    const metrics = await get("/ext/metrics");
    expect(metrics).toContain('firn_store_place_usable_boolean{place="replica 1"} 1\n');
    expect(metrics).toMatch(/firn_store_place_lag_seconds\{place="replica 1"\} \d/);
    expect(metrics).not.toContain("127.0.0.1");
    // the process that runs the checks, and two workers; sessions of other tests may still be ending
    const feeds = "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'firn feed'";
    await onStandby(async (client) => {
      await expect.poll(async () => (await client.query(feeds)).rows).toEqual([{ count: 3 }]);
    });
    expect(await firn.end()).toBe(0);

    const { output } = run(["status", ...flags]);
    expect(output.trimEnd().split("\n").slice(-2)).toEqual([
      `primary ${primary.url()}: can be read`,
      expect.stringMatching(/^replica 1 .*: \d+\.\d s behind, is read$/),
    ]);
  });

  // the last test, since there is no standby after it
  test("goes on when the primary dies and a replica is promoted, also one that is given as the store", async () => {
    const { places } = await filled();
    const promoted = places.replica;
    const own = await throughProxy(primary);
    const { ask, store } = await served({ primary: { ...places.primary, url: own.url }, replicas: [promoted] });
    const asStore = await readingStore(promoted);
    expect(await ask()).toBe("10");
    own.proxy.cut();
    await expect.poll(() => store.places()[0]!.problem).toBeDefined();
    await standby.promote();
    const writer = await openToWrite(promoted);
    await writer.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
    await expect.poll(() => ask()).toBe("11");
    await expect.poll(() => store.places()[1]).toMatchObject({ isRead: true, problem: undefined, lagSeconds: undefined });
    const known = asStore.feed!.version();
    await writer.commit(heightChanges({ P: 12n, X: 20n, C: 30n }));
    await expect.poll(() => asStore.feed!.version()).not.toBe(known);
    expect((await asStore.snapshot(async (reader) => reader.get(platformChain, { slot: 0 })))!.height).toBe(12n);
    // the one that is named as the store counts while it answers
    own.proxy.mend();
    await expect.poll(() => store.places()[0]!.isRead).toBe(true);
    expect(store.places()[1]!.problem).toBe("it is no standby: it was promoted, or is a server of its own");
    expect(await ask()).toBe("10");
  });
});

async function throughProxy(server: PostgresServer): Promise<{ proxy: TcpProxy; url: string }> {
  const proxy = await TcpProxy.start(server.port);
  onTestFinished(() => proxy.close());
  return { proxy, url: server.url().replace(`:${server.port}/`, `:${proxy.port}/`) };
}
