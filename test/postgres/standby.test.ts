import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasPostgres, skipReason } from "./binaries.ts";
import { PostgresServer } from "./server.ts";
import { Standby } from "./standby.ts";

async function connected(url: string): Promise<Client> {
  const client = new Client(url);
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(!hasPostgres)(`the standby of the tests${skipReason}`, () => {
  test("follows its primary, holds still when it is told to, goes on after a stop, and can be promoted", async () => {
    const primary = await PostgresServer.start();
    onTestFinished(() => primary.remove());
    const writer = await connected(primary.url());
    await writer.query("CREATE TABLE kept AS SELECT 1 AS row");
    const standby = await Standby.start(primary);
    onTestFinished(() => standby.remove());
    const rows = async () => (await (await connected(standby.url())).query("SELECT row FROM kept ORDER BY row")).rows.map(({ row }) => row);
    expect(await rows()).toEqual([1]);

    await standby.pause();
    await writer.query("INSERT INTO kept VALUES (2)");
    expect(await rows()).toEqual([1]);
    await standby.resume();
    await standby.reach(primary);
    expect(await rows()).toEqual([1, 2]);
    await expect((await connected(standby.url())).query("INSERT INTO kept VALUES (9)")).rejects.toThrow("read-only");

    await standby.stop();
    await writer.query("INSERT INTO kept VALUES (3)");
    await standby.start();
    await standby.reach(primary);
    await primary.stop();
    await standby.promote();
    await (await connected(standby.url())).query("INSERT INTO kept VALUES (4)");
    expect(await rows()).toEqual([1, 2, 3, 4]);
  });
});
