/**
 * `npm run bench:postgres -- [--url postgres://user@host/database] [--part ingest|read] [--runs 1] [--readers 1,2,4] [--seconds 2]
 * [--until X=500,P=100] [--only TEXT]`: imports the recording `scale-1` into a file (LMDB) and into PostgreSQL, then asks 1, 2 and 4 `firn serve`
 * on each for single items and pages of the Data API. Without `--url` it starts a PostgreSQL of its own. A database that is given, such as that
 * of a Citus cluster's coordinator, must have no schema `firn`; the bench removes the one that it makes. CPU time of the database is known
 * only of its own server.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { requireWrk } from "./load.ts";
import { compareIngest } from "./postgres/ingest.ts";
import { compareReaders } from "./postgres/reads.ts";
import { BenchedPostgres } from "./postgres/server.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    part: { type: "string", default: "all" },
    runs: { type: "string", default: "1" },
    readers: { type: "string", default: "1,2,4" },
    seconds: { type: "string", default: "2" },
    until: { type: "string" },
    only: { type: "string", default: "" },
  },
});
if (!["all", "ingest", "read"].includes(values.part)) throw new Error(`--part is ${values.part}; it is ingest or read, or absent`);
if (values.part !== "ingest") requireWrk();
execFileSync(fileURLToPath(new URL("../bin/firn", import.meta.url)), ["--version"]);

const folder = mkdtempSync(join(tmpdir(), "firn-bench-postgres-"));
const postgres = await BenchedPostgres.start(values.url);
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`);
  console.log(`${await postgres.describe()}\n`);
  // the readers read what was imported
  await compareIngest(postgres, { folder, runs: values.part === "read" ? 1 : Number(values.runs), until: values.until });
  const readers = values.readers.split(",").map(Number);
  if (values.part !== "ingest") await compareReaders(postgres, { folder, readers, seconds: Number(values.seconds), only: values.only });
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
