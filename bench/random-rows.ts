/** Rows with random keys, into LMDB alone and into a store that catches up: `npm run bench:random-rows -- [rows] [lmdb|catch-up]`. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixedHex } from "../src/base/codec/codec.ts";
import { type Change, table } from "../src/base/table/table.ts";
import { dataFile } from "../src/store/lmdb/file-check.ts";
import { openCatchUpStore, storePath } from "../src/store/open.ts";

const ROWS_PER_COMMIT = 50_000;
const FIFTHS = 5;
/** keys of 33 bytes with the table's number, values of 24 */
const rows = table({ id: 1000, name: "random_rows", key: { hash: fixedHex(31) }, value: { content: fixedHex(24) } });

async function measure(kind: string, count: number): Promise<void> {
  const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), "firn-random-rows-"));
  const bounds = kind === "lmdb" ? { startBytes: 2 ** 40 } : {};
  const store = await openCatchUpStore({ directory }, { bounds });
  const content = randomBytes(24).toString("hex");
  try {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const rates: number[] = [];
    const commits = Math.ceil(count / ROWS_PER_COMMIT);
    for (let fifth = 0; fifth < FIFTHS; fifth++) {
      const since = performance.now();
      const [from, to] = [fifth, fifth + 1].map((part) => Math.round((commits * part) / FIFTHS));
      for (let commit = from!; commit < to!; commit++) await store.commit(randomRows(content));
      rates.push(((to! - from!) * ROWS_PER_COMMIT * 1000) / (performance.now() - since));
    }
    const merging = performance.now();
    await store.finish();
    const ended = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `${kind}: ${rates.map((rate) => Math.round(rate)).join(", ")} rows/s by fifth; ` +
        `the end ${((ended - merging) / 1000).toFixed(1)} s; ${Math.round((commits * ROWS_PER_COMMIT * 1000) / (ended - started))} rows/s with it; ` +
        `CPU ${((user + system) / 1e6).toFixed(0)} s; ${Math.round(statSync(dataFile(storePath(directory))).size / 1e6)} MB`,
    );
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function randomRows(content: string): Change[] {
  return Array.from({ length: ROWS_PER_COMMIT }, () => {
    const hash = randomBytes(31).toString("hex");
    return { table: rows, key: { hash }, value: { content } } as Change;
  });
}

const [count = "10000000", kind] = process.argv.slice(2);
for (const one of kind === undefined ? ["lmdb", "catch-up"] : [kind]) await measure(one, Number(count));
