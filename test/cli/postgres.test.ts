/** Commands on a store in PostgreSQL, run as a user runs them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformChain } from "../../src/chains/platform/tables.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { openStore } from "../../src/store/open.ts";
import { type StoreReader, scanAll } from "../../src/store/store.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase, scratchRole } from "../postgres/scratch-database.ts";
import { ReplayNode } from "../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

let node: ReplayNode;
beforeAll(async () => {
  node = await ReplayNode.start({ recording: recordingFolder("live-1"), released: { P: 3n } });
});
afterAll(() => node.stop());

async function read<R>(url: string, use: (reader: StoreReader) => Promise<R>): Promise<R> {
  const store = await openStore({ directory: scratchDirectory(), mode: "read", postgres: { address: { url }, tables: allTables } });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const heightIn = (url: string) => read(url, async (reader) => (await reader.get(platformChain, { slot: 0 }))?.height);

/** All rows but those about the processes that wrote them. */
async function rowsOf(reader: StoreReader): Promise<string> {
  const tables = allTables.filter(({ name }) => name !== "source_state" && name !== "source_queues");
  const rows: unknown[] = [];
  for (const table of tables) for await (const row of scanAll(reader, table)) rows.push([table.name, row]);
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

describe.skipIf(!hasPostgres)(`a store in PostgreSQL${skipReason}`, () => {
  test("of two followers one writes; when it is killed, the other goes on", async () => {
    const { url } = await scratchDatabase();
    const network = join(recordingFolder("live-1"), "network.json");
    const ingest = () =>
      new FirnProcess(["ingest", "--network", network, "--upstream", node.url, "--data-dir", scratchDirectory(), "--store", url]);
    const first = ingest();
    await first.printed(/^following into postgres:\S+; to answer requests from it, run: firn serve --store postgres:/);
    await expect.poll(() => heightIn(url)).toBe(3n);

    const second = ingest();
    await expect.poll(() => second.error).toContain("Another process writes the store; waiting until it ends");
    const refused = run(["forget", "43112", "--data-dir", scratchDirectory(), "--store", url]);
    expect(refused).toMatchObject({ exitCode: 1, output: "" });
    expect(refused.error).toMatch(
      /^firn: postgres:\S+ is being written by \S+, process \d+: firn ingest; stop it first or use another --store\n$/,
    );

    node.release({ P: 5n });
    await expect.poll(() => heightIn(url)).toBe(5n);
    await first.end("SIGKILL");
    node.release({ P: 6n });
    await expect.poll(() => heightIn(url)).toBe(6n);
    await second.end("SIGTERM");
  });

  test("reindex makes the same rows again, and takes the place of the old ones", async () => {
    const { url } = await scratchDatabase();
    const store = ["--data-dir", scratchDirectory(), "--store", url];
    const imported = run(["import", recordingFolder("live-1"), "--until", "P=6,X=0,C=0", ...store]);
    expect(imported.error).not.toContain("firn:");
    const before = await read(url, rowsOf);
    expect(run(["reindex", ...store])).toMatchObject({ exitCode: 0 });
    expect(await read(url, rowsOf)).toBe(before);
  });

  test("what is wrong with the database is said in one sentence, without the password", async () => {
    const { name, port, url } = await scratchDatabase();
    const role = await scratchRole("right");
    const passwordFile = join(scratchDirectory(), "password");
    writeFileSync(passwordFile, "also-wrong\n");
    const status = (store: string, ...more: string[]) => run(["status", "--data-dir", scratchDirectory(), "--store", store, ...more]).error;
    const wrong = status(`postgres://${role}:wrong-secret@127.0.0.1:${port}/${name}`);
    expect(wrong).toMatch(/^firn: postgres:\/\/role_\w+@127.0.0.1:\d+\/\w+ refused the login \(password authentication failed [^\n]*\n$/);
    expect(wrong).not.toContain("wrong-secret");
    expect(status(`postgres://${role}@127.0.0.1:${port}/${name}`, "--store-password-file", passwordFile)).toContain("refused the login");
    expect(status("postgres://postgres@127.0.0.1:1/firn")).toMatch(
      /^firn: \S+ cannot be reached \([^\n]*\); check that the server runs, its host and its port\n$/,
    );
    expect(status(`postgres://postgres@127.0.0.1:${port}/nowhere`)).toContain(
      'database "nowhere" does not exist; create it with: createdb',
    );
    expect(status(url)).toMatch(/^firn: there is no store in postgres:\S+; create one with: firn import <recording> --store \S+\n$/);
    writeFileSync(passwordFile, "right\n");
    const unprivileged = run([
      "import",
      recordingFolder("live-1"),
      "--data-dir",
      scratchDirectory(),
      "--store",
      `postgres://${role}@127.0.0.1:${port}/${name}`,
      "--store-password-file",
      passwordFile,
    ]);
    expect(unprivileged.error).toMatch(/does not allow this \(permission denied for database \w+\); grant the user CREATE/);
    expect(status(`${url}${url.includes("?") ? "&" : "?"}sslmode=require`)).toMatch(
      /(?:^|\n)firn: \S+ cannot be reached over TLS \(The server does not support SSL connections\); check sslmode [^\n]*\n$/,
    );
    const copied = run(["copy", "--from", "postgres:/firn:secret@db/firn", "--to", scratchDirectory()]);
    expect(copied).toMatchObject({
      exitCode: 2,
      error: expect.stringMatching(/^firn: --from is "…@db\/firn"; use a data directory, or [^\n]*\n$/),
    });
    expect(status("mysql://127.0.0.1/firn")).toContain("postgres://firn@127.0.0.1:5432/firn");
  });
});
