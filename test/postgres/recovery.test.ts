/** Backup and recovery to a point in time, as docs/store-postgres.md says. Only what is in every PostgreSQL is used. */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { FirnProcess } from "../cli/firn.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { baseBackup, ownedByServer } from "./base-backup.ts";
import { hasPostgres, skipReason } from "./binaries.ts";
import { PostgresServer } from "./server.ts";

const page = readFileSync(new URL("../../docs/store-postgres.md", import.meta.url), "utf8");
const [, settings] = /```ini\n([\s\S]*?)```/.exec(page)!;

/** A setting of the page, with the archive's folder in this test. */
function setting(name: string, archive: string): string {
  const [, value] = new RegExp(`^${name} = '(.*)'$`, "m").exec(settings!)!;
  return value!.replaceAll("/var/lib/firn-wal", archive);
}

async function firn(...args: string[]): Promise<string> {
  const process = new FirnProcess(args);
  const [printed] = await process.printed(/^.*\n$/s);
  return printed;
}

async function rowsOf(url: string): Promise<Map<string, string>> {
  const directory = scratchDirectory();
  expect(await firn("copy", "--from", url, "--to", directory)).toContain("both stores have the same rows");
  return storeRows(directory);
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(!hasPostgres)(`recovery${skipReason}`, () => {
  test("a store is as it was at a point in time after its schema was dropped, and ingest goes on from there", async () => {
    const recording = recordingFolder("x-dag");
    const folder = scratchDirectory();
    const [archive, backup] = [join(folder, "archive"), join(folder, "backup")];
    mkdirSync(archive);
    ownedByServer(folder);
    const server = await PostgresServer.start({
      fsync: "off",
      archive_mode: "on",
      archive_command: setting("archive_command", archive),
    });
    onTestFinished(() => server.remove());
    await firn("import", recording, "--store", server.url(), "--until", "X=1");

    await baseBackup(server, backup);

    await firn("import", recording, "--store", server.url(), "--until", "X=2");
    const expected = await rowsOf(server.url());
    const client = await connected(server.url());
    await client.query("SELECT pg_create_restore_point('before_the_mistake')");
    await client.query("DROP SCHEMA firn CASCADE");
    const [{ segment }] = (await client.query("SELECT pg_walfile_name(pg_switch_wal()) AS segment")).rows;
    // its file is there before it is whole
    await expect
      .poll(async () => (await client.query("SELECT last_archived_wal AS last FROM pg_stat_archiver")).rows[0].last)
      .toBe(segment);
    expect(readdirSync(archive)).toContain(segment);
    await server.stop();

    rmSync(server.data, { recursive: true });
    cpSync(backup, server.data, { recursive: true, verbatimSymlinks: true });
    // which not every Node.js takes from the backup
    chmodSync(server.data, 0o700);
    writeFileSync(join(server.data, "recovery.signal"), "");
    const lines = ["restore_command", "recovery_target_name", "recovery_target_action"].map(
      (name) => `${name} = '${setting(name, archive)}'\n`,
    );
    writeFileSync(join(server.data, "postgresql.auto.conf"), lines.join(""));
    ownedByServer(dirname(server.data));
    await server.start();

    await expect
      .poll(async () => (await (await connected(server.url())).query("SELECT pg_is_in_recovery() AS now")).rows[0].now)
      .toBe(false);
    expect(firstDifference(await rowsOf(server.url()), expected)).toBeUndefined();
    expect(await firn("import", recording, "--store", server.url())).toContain("X 3");
  });
});
