/** Imports recordings into PostgreSQL: the rows are those of LMDB, and every recorded request is answered as the node answered it. */
import { describe, expect, test } from "vitest";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { checkpointsOf, importUntil, runCheckpoints } from "./checkpoints.ts";
import { compareRows } from "./postgres-rows.ts";
import { recordingFolder } from "./recordings.ts";
import { openToRead, putInDatabase } from "./stores.ts";

describe.skipIf(!hasPostgres)(`a recording in PostgreSQL${skipReason}`, () => {
  test("of P, X and C: has the rows of LMDB, and answers the requests of its last checkpoint", async () => {
    const folder = recordingFolder("latest-1");
    const { heights, file } = checkpointsOf(folder).at(-1)!;
    const [inLmdb, inPostgres] = [scratchDirectory(), scratchDirectory()];
    putInDatabase(inPostgres, (await scratchDatabase()).url);
    for (const directory of [inLmdb, inPostgres]) await importUntil(folder, directory, heights, "replay");
    const [expected, found] = [await openToRead(inLmdb), await openToRead(inPostgres)];
    const compared = await compareRows(found, expected);
    await Promise.all([expected.close(), found.close()]);
    expect(compared.differences).toEqual([]);
    expect(compared.rows).toBeGreaterThan(10_000);
    expect(compared.tables).toBeGreaterThan(50);

    const lines: string[] = [];
    const name = file.split("/").at(-1)!;
    const totals = await runCheckpoints(folder, { directory: inPostgres, name, level: "replay", log: (line) => lines.push(line) });
    expect({ ...totals, lines: lines.filter((line) => !/: \d+ passed, 0 failed$/.test(line)) }).toMatchObject({ failed: 0, lines: [] });
    expect(totals.passed).toBeGreaterThan(1000);
  });
});
