/** How a process that reads learns of commits. */
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { CommitFeed } from "../../src/store/postgres/commit-feed.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";
import { scratchPostgresStore } from "../postgres/scratch-store.ts";
import { TcpProxy } from "../postgres/tcp-proxy.ts";
import { heightChanges } from "../server/small-store.ts";

async function openFeed(url: string): Promise<CommitFeed> {
  const feed = await CommitFeed.open({ url });
  onTestFinished(() => feed.close());
  return feed;
}

async function behindProxy(): Promise<{ feed: CommitFeed; proxy: TcpProxy }> {
  const { port, name } = await scratchDatabase();
  const proxy = await TcpProxy.start(port);
  onTestFinished(() => proxy.close());
  return { feed: await openFeed(`postgres://postgres@127.0.0.1:${proxy.port}/${name}`), proxy };
}

describe.skipIf(!hasPostgres)(`a process that reads${skipReason}`, () => {
  test("is told of a commit", async () => {
    const { store, address } = await scratchPostgresStore();
    const feed = await openFeed(address.url);
    const before = feed.version();
    expect(before).toBeDefined();
    await store.commit(heightChanges({ P: 1n, X: 1n, C: 1n }));
    await expect.poll(() => feed.version()).not.toBe(before);
  });

  test("notices what nobody told", async () => {
    const { url } = await scratchDatabase();
    const feed = await openFeed(url);
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    onTestFinished(() => client.end());
    for (const statement of ["CREATE TABLE silent (row int)", "INSERT INTO silent VALUES (1)"]) {
      const before = feed.version();
      await client.query(statement);
      await expect.poll(() => feed.version(), { timeout: 10_000 }).not.toBe(before);
    }
  });

  test("knows nothing while the connection is down, says so, and connects again", async () => {
    const { feed, proxy } = await behindProxy();
    const told: (string | undefined)[] = [];
    feed.onChange = (problem) => told.push(problem?.message);
    const before = feed.version()!;
    proxy.cut();
    await expect.poll(() => feed.version()).toBeUndefined();
    proxy.mend();
    await expect.poll(() => feed.version(), { timeout: 10_000 }).toBeGreaterThan(before);
    expect(feed.connections).toBe(2);
    expect(told).toEqual([expect.stringContaining("/firn_"), undefined]);
  });

  test("takes a server that falls silent for lost", { timeout: 20_000 }, async () => {
    const { feed, proxy } = await behindProxy();
    proxy.stall();
    await expect.poll(() => feed.version(), { timeout: 15_000 }).toBeUndefined();
    proxy.mend();
    await expect.poll(() => feed.version(), { timeout: 15_000 }).toBeDefined();
  });
});
