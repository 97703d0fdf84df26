import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client, type ClientConfig } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../store/scratch.ts";
import { hasPostgres, skipReason } from "./binaries.ts";
import { scratchDatabase, scratchRole } from "./scratch-database.ts";
import { PostgresServer } from "./server.ts";
import { TcpProxy } from "./tcp-proxy.ts";

async function connected(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const isRunning = (processId: number) => {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!hasPostgres)(`the PostgreSQL of the tests${skipReason}`, () => {
  test("a database of a test's own is empty and gone after the test, and its default order is not that of bytes", async () => {
    const { url } = await scratchDatabase();
    const client = await connected({ connectionString: url });
    const { rows } = await client.query("SELECT 'a' < 'B' AS ordered, count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public'");
    expect(rows).toEqual([{ ordered: true, tables: 0 }]);
  });

  test("a role with a password must give it, one without is let in", async () => {
    const { name: database, port } = await scratchDatabase();
    const [open, closed] = [await scratchRole(), await scratchRole("open, 'sesame'")];
    const place = { host: "127.0.0.1", port, database };
    const nameOf = async (client: Client) => (await client.query("SELECT current_user")).rows[0].current_user;
    expect(await nameOf(await connected({ ...place, user: open }))).toBe(open);
    expect(await nameOf(await connected({ ...place, user: closed, password: "open, 'sesame'" }))).toBe(closed);
    await expect(new Client({ ...place, user: closed, password: "wrong" }).connect()).rejects.toThrow("password authentication failed");
  });

  test("it keeps what was committed when it is stopped or killed, and removes its files in the end", async () => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.remove());
    await (await connected({ connectionString: server.url() })).query("CREATE TABLE kept AS SELECT 1 AS row");
    await server.stop();
    await server.start();
    const { processId } = server;
    await (await connected({ connectionString: server.url() })).query("INSERT INTO kept VALUES (2)");
    await server.kill();
    expect(isRunning(processId)).toBe(false);
    await server.start();
    const { rows } = await (await connected({ connectionString: server.url() })).query("SELECT row FROM kept ORDER BY row");
    expect(rows).toEqual([{ row: 1 }, { row: 2 }]);
    await server.remove();
    expect(existsSync(dirname(server.data))).toBe(false);
  });

  test("it ends when the process that started it is killed, and leaves no files", async () => {
    const folder = scratchDirectory();
    // the server's user makes files in it
    execFileSync("chmod", ["755", folder]);
    const program = `
      import { PostgresServer } from ${JSON.stringify(join(import.meta.dirname, "server.ts"))};
      const server = await PostgresServer.start();
      console.log(server.processId, server.data);
      setInterval(() => {}, 1000);`;
    const args = ["--import", "tsx", "--input-type=module", "--eval", program];
    const owner = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, TMPDIR: folder } });
    const started = once(owner.stdout, "data") as Promise<[Buffer]>;
    const [line] = await Promise.race([started, once(owner, "exit").then(() => Promise.reject(new Error("it did not start")))]);
    const [processId, data] = line.toString().trim().split(" ");
    expect(isRunning(Number(processId))).toBe(true);
    owner.kill("SIGKILL");
    await expect.poll(() => isRunning(Number(processId))).toBe(false);
    await expect.poll(() => readdirSync(dirname(data!))).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)(`the network of the tests${skipReason}`, () => {
  async function proxied(): Promise<{ proxy: TcpProxy; config: ClientConfig }> {
    const { port, name: database } = await scratchDatabase();
    const proxy = await TcpProxy.start(port);
    onTestFinished(() => proxy.close());
    return { proxy, config: { host: "127.0.0.1", port: proxy.port, user: "postgres", database } };
  }

  test("a cut ends connections and refuses new ones until it is mended", async () => {
    const { proxy, config } = await proxied();
    const client = await connected(config);
    const ended = new Promise((resolve) => client.once("end", resolve));
    proxy.cut();
    await ended;
    await expect(new Client(config).connect()).rejects.toThrow();
    proxy.mend();
    await connected(config);
  });

  test("nothing passes while it is stalled, and nothing is lost", async () => {
    const { proxy, config } = await proxied();
    const [client, other] = [await connected(config), await connected({ ...config, port: (await scratchDatabase()).port })];
    await client.query("CREATE TABLE done (row int)");
    const order: string[] = [];
    proxy.stall();
    const inserted = client.query("INSERT INTO done VALUES (1)").then(() => order.push("inserted"));
    expect((await other.query("SELECT count(*)::int AS rows FROM done")).rows).toEqual([{ rows: 0 }]);
    order.push("mended");
    proxy.mend();
    await inserted;
    expect(order).toEqual(["mended", "inserted"]);
  });

  test("an answer can be held back while the question has arrived", async () => {
    const { proxy, config } = await proxied();
    const [client, other] = [await connected(config), await connected({ ...config, port: (await scratchDatabase()).port })];
    await client.query("CREATE TABLE done (row int)");
    proxy.stall(["to client"]);
    const inserted = client.query("INSERT INTO done VALUES (1)");
    await expect.poll(async () => (await other.query("SELECT count(*)::int AS rows FROM done")).rows[0].rows).toBe(1);
    proxy.mend();
    await inserted;
  });
});
