import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { Session } from "../../../src/store/postgres/connection.ts";
import { checkFence, type IngesterLease, leaseHolder } from "../../../src/store/postgres/lease/lease.ts";
import { leaseStatements, leaseTables } from "../../../src/store/postgres/lease/lease-tables.ts";
import { hasPostgres, skipReason } from "../../postgres/binaries.ts";
import { scratchDatabase, scratchRole } from "../../postgres/scratch-database.ts";
import { PostgresServer } from "../../postgres/server.ts";
import { TcpProxy } from "../../postgres/tcp-proxy.ts";
import { acquired, commitOne, connected, lateCommits, makeLeaseTables, noteTaken, SCHEMA } from "./lease-writer.ts";

async function database(): Promise<{ url: string; port: number }> {
  const { url, port } = await scratchDatabase();
  await makeLeaseTables(url);
  return { url, port };
}

async function session(url: string): Promise<Client> {
  const client = await connected(url);
  onTestFinished(() => client.end());
  return client;
}

function releasedInTheEnd(lease: IngesterLease): IngesterLease {
  onTestFinished(() => lease.release());
  return lease;
}

/** A network that only its user's connections go through. */
async function network(url: string, port: number): Promise<{ proxy: TcpProxy; url: string }> {
  const proxy = await TcpProxy.start(port);
  onTestFinished(() => proxy.close());
  return { proxy, url: url.replace(`:${port}`, `:${proxy.port}`) };
}

/** A process that writes, and what it has said. */
async function writer(url: string, name: string): Promise<{ process: ChildProcess; said: string[] }> {
  const main = join(import.meta.dirname, "lease-writer-main.ts");
  const child = spawn(process.execPath, ["--import", "tsx", main, url, name], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  return { process: child, said };
}

describe.skipIf(!hasPostgres)(`the ingester's lease${skipReason}`, () => {
  test("one holds it; another waits, is told once who, and has it when it is given back", async () => {
    const { url } = await database();
    const reader = await session(url);
    expect(await leaseHolder(reader, SCHEMA)).toBeUndefined();
    const first = await acquired(url, "host a, process 7");
    expect(await leaseHolder(reader, SCHEMA)).toMatchObject({ holder: "host a, process 7", fence: first.fence });
    const told: string[] = [];
    const second = acquired(url, "host b, process 8", { onWaiting: ({ holder }) => told.push(holder) });
    // a sign of life after it was told: it has polled several times
    await expect.poll(() => told.length).toBe(1);
    const { seenAt } = (await leaseHolder(reader, SCHEMA))!;
    await expect.poll(async () => (await leaseHolder(reader, SCHEMA))!.seenAt.getTime()).toBeGreaterThan(seenAt.getTime());
    await first.release();
    const { fence } = releasedInTheEnd(await second);
    expect({ told, next: fence === first.fence + 1n }).toEqual({ told: ["host a, process 7"], next: true });
    expect(await leaseHolder(reader, SCHEMA)).toMatchObject({ holder: "host b, process 8", fence });
  });

  test("of three that wait each has it once, and never two", async () => {
    const { url } = await database();
    let holding = 0;
    const hold = async (name: string) => {
      const lease = await acquired(url, name);
      holding++;
      expect(holding).toBe(1);
      const client = await session(url);
      await commitOne(client, lease, 0);
      holding--;
      await lease.release();
      return lease.fence;
    };
    const fences = await Promise.all(["a", "b", "c"].map(hold));
    expect(fences.sort()).toEqual([1n, 2n, 3n]);
  });

  test("waiting ends when its signal is aborted, and leaves no session", async () => {
    const { url } = await database();
    const first = releasedInTheEnd(await acquired(url, "first"));
    const end = new AbortController();
    const second = acquired(url, "second", { signal: end.signal, onWaiting: () => end.abort(new Error("enough")) });
    await expect(second).rejects.toThrow("enough");
    const reader = await session(url);
    const sessions = async () =>
      (await reader.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()")).rows[0].n;
    await expect.poll(sessions).toBe(2);
    expect((await leaseHolder(reader, SCHEMA))?.fence).toBe(first.fence);
  });

  test("stores in two schemas of a database have a lease each", async () => {
    const { url } = await database();
    const client = await session(url);
    for (const statement of ["CREATE SCHEMA other", ...leaseTables("other")]) await client.query(statement);
    releasedInTheEnd(await acquired(url, "first"));
    expect(releasedInTheEnd(await acquired(url, "second", { schema: "other" })).fence).toBe(1n);
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "another takes over when the holder gets %s, and nothing of the old one is committed",
    async (signal) => {
      const { url } = await database();
      const [first, second] = [await writer(url, "first"), await writer(url, "second")];
      const holderOf = (said: string[]) => said.findLast((line) => line.startsWith("wrote"));
      await expect.poll(() => [first, second].filter(({ said }) => holderOf(said)).length).toBe(1);
      const [holder, waiting] = holderOf(first.said) ? [first, second] : [second, first];
      await expect.poll(() => waiting.said.length).toBe(1);
      holder.process.kill(signal);
      await expect.poll(() => waiting.said).toContain("wrote 2");
      if (signal === "SIGSTOP") {
        holder.process.kill("SIGCONT");
        await expect.poll(() => holder.said.at(-1)).toMatch(/^waits/);
        expect(holder.said).toContain("lost 1");
      }
      expect(await lateCommits(url)).toEqual([]);
    },
  );

  test.each(["cut", "stall"] as const)("another takes over when the holder's network is lost (%s), and the holder knows", async (how) => {
    const { url, port } = await database();
    const far = await network(url, port);
    const first = await acquired(far.url, "far");
    const second = acquired(url, "near");
    far.proxy[how]();
    expect((await first.lost).code).toBe("store-deposed");
    const taken = releasedInTheEnd(await second);
    expect(taken.fence).toBe(first.fence + 1n);
    await expect(first.check(await session(url))).rejects.toMatchObject({ code: "store-deposed" });
    await taken.check(await session(url));
  });

  test("one that waits goes on when its own network was lost for a while", async () => {
    const { url, port } = await database();
    const far = await network(url, port);
    const first = await acquired(url, "near");
    let waiting = 0;
    const second = acquired(far.url, "far", { onWaiting: () => waiting++ });
    await expect.poll(() => waiting).toBe(1);
    far.proxy.cut();
    await first.release();
    far.proxy.mend();
    expect(releasedInTheEnd(await second).fence).toBe(first.fence + 1n);
  });

  test.each(["stop", "kill"] as const)("a server that restarts (%s) takes the lease away, and gives it to one that waits", async (how) => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.remove());
    await makeLeaseTables(server.url());
    const first = await acquired(server.url(), "first");
    let waiting = 0;
    let connects = 0;
    // as the store connects: its errors are sentences
    const connect = async () => {
      connects++;
      return (await Session.open({ url: server.url() }, { role: "lease", isPipelined: false, statementTimeoutMs: 0 })).client;
    };
    const second = acquired(server.url(), "second", { connect, onWaiting: () => waiting++ });
    await expect.poll(() => waiting).toBe(1);
    await server[how]();
    expect((await first.lost).message).toContain("its session with PostgreSQL was lost");
    // it has failed and tries again
    await expect.poll(() => connects).toBeGreaterThan(2);
    await server.start();
    expect(releasedInTheEnd(await second).fence).toBe(first.fence + 1n);
  });

  const STEPS = ["begins", "reads", "checks", "writes", "commits"];
  test.each(STEPS.flatMap((step, at) => ["READ COMMITTED", "REPEATABLE READ"].map((isolation) => ({ step, at, isolation }))))(
    "a transaction is not committed if its holder is deposed before it $step ($isolation)",
    async ({ at, isolation }) => {
      const { url, port } = await database();
      const far = await network(url, port);
      const first = await acquired(far.url, "first");
      const client = await session(url);
      await commitOne(client, first, 0, { isolation });
      const second = acquired(url, "second");
      const atStep = async (step: number) => {
        if (step !== at) return;
        // the lease's session is lost; that of commits is not
        far.proxy.cut();
        await noteTaken(await session(url), releasedInTheEnd(await second));
      };
      // not told of it: what the database does must be enough
      const deaf = { fence: first.fence, check: (using: Client) => checkFence(using, leaseStatements(SCHEMA), first.fence) };
      await expect(commitOne(client, deaf, 1, { isolation, atStep })).rejects.toThrow();
      expect(await lateCommits(url)).toEqual([]);
      const { rows } = await (await session(url)).query(`SELECT row FROM "${SCHEMA}".commits`);
      expect(rows).toEqual([{ row: 0 }]);
    },
  );

  test("a transaction that a busy server still executes is ended by the one that takes over", async () => {
    const { url, port } = await database();
    const far = await network(url, port);
    const first = await acquired(far.url, "first");
    const client = await session(url);
    await client.query("BEGIN");
    await first.check(client);
    const long = client.query(`INSERT INTO "${SCHEMA}".commits SELECT $1, 1 FROM pg_sleep(100000)`, [first.fence]);
    const refused = expect(long).rejects.toThrow("terminating connection");
    const second = acquired(url, "second");
    far.proxy.cut();
    releasedInTheEnd(await second);
    await refused;
  });

  test("who may only read keeps nobody from it, whatever locks he takes, and the holder that is named is the true one", async () => {
    const { url } = await database();
    const role = await scratchRole();
    const admin = await session(url);
    for (const what of [`USAGE ON SCHEMA "${SCHEMA}"`, `SELECT ON ALL TABLES IN SCHEMA "${SCHEMA}"`])
      await admin.query(`GRANT ${what} TO "${role}"`);
    const analyst = await session(url.replace("postgres@", `${role}@`));
    const first = await acquired(url, "first");
    const { session: name } = (await analyst.query(`SELECT session FROM "${SCHEMA}".store_lease`)).rows[0];
    // all keys of one column; the name of the holder's session; a transaction that has read both tables
    await analyst.query("SELECT pg_advisory_lock(key), pg_advisory_lock_shared(-key) FROM generate_series(1, 2000) key");
    await analyst.query("SELECT set_config('application_name', $1, false)", [name]);
    await analyst.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    for (const table of ["store_lease", "store_fence"]) await analyst.query(`LOCK TABLE "${SCHEMA}".${table} IN ACCESS SHARE MODE`);
    await expect(analyst.query(`SELECT FROM "${SCHEMA}".store_lease FOR KEY SHARE`)).rejects.toThrow("permission denied");
    expect(await leaseHolder(admin, SCHEMA)).toMatchObject({ holder: "first", fence: first.fence });
    await first.release();
    expect(await leaseHolder(admin, SCHEMA)).toBeUndefined();
    const second = releasedInTheEnd(await acquired(url, "second"));
    expect(await leaseHolder(admin, SCHEMA)).toMatchObject({ holder: "second", fence: second.fence });
  });

  test("a later session that has the process ID of a holder that is gone does not count as it", async () => {
    const { url } = await database();
    const admin = await session(url);
    const bystander = await session(url);
    const { pid } = (await bystander.query("SELECT pg_backend_pid() AS pid")).rows[0];
    await admin.query(`UPDATE "${SCHEMA}".store_lease SET holder = 'gone', pid = $1, session = 'firn lease of the one that is gone'`, [
      pid,
    ]);
    expect(await leaseHolder(admin, SCHEMA)).toBeUndefined();
    releasedInTheEnd(await acquired(url, "next"));
    expect((await bystander.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  test("tables of a lease from before its holder's session was named get the columns", async () => {
    const { url } = await database();
    const admin = await session(url);
    await admin.query(`ALTER TABLE "${SCHEMA}".store_lease DROP COLUMN pid, DROP COLUMN session`);
    for (const statement of leaseTables(SCHEMA)) await admin.query(statement);
    expect(releasedInTheEnd(await acquired(url, "first")).fence).toBe(1n);
  });

  test("a silent holder of another role is not deposed without the right to; the sentence says what to grant", async () => {
    const { url, port } = await database();
    const role = await scratchRole();
    const admin = await session(url);
    for (const what of [`USAGE ON SCHEMA "${SCHEMA}"`, `ALL ON ALL TABLES IN SCHEMA "${SCHEMA}"`])
      await admin.query(`GRANT ${what} TO "${role}"`);
    const owned = (address: string) => address.replace("postgres@", `${role}@`);
    const far = await network(url, port);
    const first = await acquired(far.url, "of the superuser");
    far.proxy.stall();
    await expect(acquired(owned(url), "of a role")).rejects.toMatchObject({
      code: "store-lease-rights",
      message: expect.stringContaining("of the superuser, which hold the store but show no sign of life: let all writers use one role"),
    });
    far.proxy.cut();
    far.proxy.mend();
    await first.lost;
    // sessions of its own role it may end
    const second = await acquired(owned(far.url), "of a role");
    far.proxy.stall();
    expect(releasedInTheEnd(await acquired(owned(url), "of the same role")).fence).toBe(second.fence + 1n);
  });
});
