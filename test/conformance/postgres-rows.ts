/** Compares a store in PostgreSQL with one in LMDB: all rows of all tables, as bytes and in their order. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RuleLevel } from "../../src/base/errors/rule-level.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { encodeRows } from "../../src/store/encoded-rows.ts";
import { type Store, scanAll } from "../../src/store/store.ts";
import { storeWriter } from "../../src/store/tables.ts";
import { importUntil } from "./checkpoints.ts";
import { keepInLmdb, openToRead, removeStore } from "./stores.ts";

const PAGE = 5000;

export interface ComparedRows {
  readonly rows: number;
  /** tables with at least one row */
  readonly tables: number;
  readonly differences: readonly string[];
}

/** Imports a whole recording into PostgreSQL, which is set up, and into LMDB. */
export async function rowsInBoth(folder: string, level: RuleLevel): Promise<ComparedRows> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-rows-"));
  const [inLmdb, inPostgres] = [join(scratch, "lmdb"), join(scratch, "postgres")];
  keepInLmdb(inLmdb);
  try {
    for (const directory of [inLmdb, inPostgres]) await importUntil(folder, directory, {}, level);
    const stores = await Promise.all([openToRead(inPostgres), openToRead(inLmdb)]);
    const compared = await compareRows(...stores);
    await Promise.all(stores.map((store) => store.close()));
    return compared;
  } finally {
    await removeStore(inPostgres);
    await removeStore(inLmdb);
    rmSync(scratch, { recursive: true, force: true });
  }
}

export async function compareRows(found: Store, expected: Store): Promise<ComparedRows> {
  let [rows, tables] = [0, 0];
  const differences: string[] = [];
  for (const table of allTables) {
    // PostgreSQL has a lease instead
    if (table.id === storeWriter.id) continue;
    const [left, right] = [found, expected].map((store) => scanAll(store, table, {}, { pageSize: PAGE })) as [Rows, Rows];
    let ofTable = 0;
    for (;;) {
      const [a, b] = await Promise.all([left.next(), right.next()]);
      if (a.done && b.done) break;
      const [has, needs] = [a, b].map((each) => (each.done ? "no row" : encoded({ table, ...each.value })));
      if (has !== needs) {
        differences.push(`${table.name}, row ${ofTable}: ${has}, expected ${needs}`);
        break;
      }
      ofTable++;
    }
    rows += ofTable;
    if (ofTable > 0) tables++;
  }
  return { rows, tables, differences };
}

type Rows = ReturnType<typeof scanAll>;

function encoded(change: Parameters<typeof encodeRows>[0][number]): string {
  return Buffer.from(encodeRows([change]).bytes).toString("hex");
}
