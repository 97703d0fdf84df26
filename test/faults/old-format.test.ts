/** A store of an older Firn lacks the Data API's index: it is refused with the command to run, and that command builds the whole index. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "lmdb";
import { expect, test } from "vitest";
import type { Change } from "../../src/base/table/table.ts";
import { STORE_FORMAT } from "../../src/store/format.ts";
import { openStore } from "../../src/store/open.ts";
import { storeFormat } from "../../src/store/tables.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { firstDifference, storeRows, tablesOf } from "./store-rows.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));
/** of the Data API's index */
const [FIRST_TABLE, LAST_TABLE] = [200, 279];
const OLDER_FORMAT = 1;

function run(...args: string[]): { exitCode: number | null; error: string } {
  const { status, stderr } = spawnSync(process.execPath, [firn, ...args], { encoding: "utf8" });
  return { exitCode: status, error: stderr };
}

const isIndexTable = (id: number) => id >= FIRST_TABLE && id <= LAST_TABLE;

/** As format 1 was: without the rows of these tables. */
async function makeOlder(directory: string): Promise<void> {
  const store = await openStore({ directory, mode: "write" });
  const format = await store.get(storeFormat, { slot: 0 });
  await store.commit([{ table: storeFormat, key: { slot: 0 }, value: { ...format!, version: OLDER_FORMAT } } as Change]);
  await store.close();
  const entries = open<Uint8Array, Uint8Array>({
    path: join(directory, "store"),
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
  });
  entries.transactionSync(() => {
    for (const key of entries.getKeys()) if (isIndexTable(Buffer.from(key).readUInt16BE())) entries.removeSync(key);
  });
  await entries.close();
}

test("a store of the format before the Data API is refused by every command, and reindex makes the index of one that was imported", async () => {
  const directory = scratchDirectory();
  const recording = recordingFolder("latest-1");
  await importUntil(recording, directory, {}, "replay");
  const imported = await storeRows(directory);
  const indexTables = [...tablesOf(imported)].filter(isIndexTable);
  expect(indexTables.length).toBeGreaterThan(30);

  await makeOlder(directory);
  expect([...tablesOf(await storeRows(directory))].filter(isIndexTable)).toEqual([]);
  for (const refused of [run("import", recording, "--data-dir", directory), run("serve", "--data-dir", directory)]) {
    expect(refused.exitCode).toBe(1);
    expect(refused.error).toContain(
      `has store format ${OLDER_FORMAT}, this version of Firn needs ${STORE_FORMAT}; rebuild it with: firn reindex --data-dir ${directory}`,
    );
  }
  expect(run("reindex", "--data-dir", directory, "--level", "replay").exitCode).toBe(0);
  expect(firstDifference(await storeRows(directory), imported)).toBeUndefined();
});
