/** How a process that reads learns of commits. */
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { pause } from "../../src/base/work/pause.ts";
import { CommitFeed } from "../../src/store/postgres/commit-feed.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchPostgresStore } from "../postgres/scratch-store.ts";
import { TcpProxy } from "../postgres/tcp-proxy.ts";
import { heightChanges } from "../serve/small-store.ts";

async function openFeed(url: string): Promise<CommitFeed> {
  const feed = await CommitFeed.open({ url });
  onTestFinished(() => feed.close());
  return feed;
}

async function behindProxy(): Promise<{ feed: CommitFeed; proxy: TcpProxy }> {
  const { address } = await scratchPostgresStore();
  const { port, pathname } = new URL(address.url);
  const proxy = await TcpProxy.start(Number(port));
  onTestFinished(() => proxy.close());
  return { feed: await openFeed(`postgres://postgres@127.0.0.1:${proxy.port}${pathname}`), proxy };
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

  test("notices a commit that nobody told, and takes nothing else for one", async () => {
    const { address } = await scratchPostgresStore();
    const feed = await openFeed(address.url);
    const client = new Client({ connectionString: address.url });
    client.on("error", () => {});
    await client.connect();
    onTestFinished(() => client.end());
    const before = feed.version();
    await client.query("CREATE TABLE silent (row int)");
    await client.query("INSERT INTO silent VALUES (1)");
    await pause(1500);
    expect(feed.version()).toBe(before);
    await client.query("UPDATE firn.store_commits SET commits = commits + 1");
    await expect.poll(() => feed.version()).not.toBe(before);
  });

  test("knows nothing while the connection is down, says so, and connects again", async () => {
    const { feed, proxy } = await behindProxy();
    const told: (string | undefined)[] = [];
    feed.onChange = (problem) => told.push(problem?.message);
    const before = feed.version()!;
    proxy.cut();
    await expect.poll(() => feed.version()).toBeUndefined();
    proxy.mend();
    await expect.poll(() => feed.version()).toBeGreaterThan(before);
    expect(feed.connections).toBe(2);
    expect(told).toEqual([expect.stringContaining("/firn_"), undefined]);
  });

  test("takes a server that falls silent for lost", async () => {
    const { feed, proxy } = await behindProxy();
    proxy.stall();
    await expect.poll(() => feed.version()).toBeUndefined();
    proxy.mend();
    await expect.poll(() => feed.version()).toBeDefined();
  });
});
