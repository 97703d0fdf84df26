/** `npm run conformance -- [options] <recording folder>…`: checks Firn against recordings of the reference node. */
import { parseArgs } from "node:util";
import { FirnError } from "../../src/base/errors/errors.ts";
import type { RuleLevel } from "../../src/base/errors/rule-level.ts";
import { PostgresServer } from "../postgres/server.ts";
import { runFollowedImport } from "../sources/nodes/followed-import.ts";
import { type CheckpointOptions, runCheckpoints, type Totals } from "./checkpoints.ts";
import { isEvmRecording } from "./evm/recording.ts";
import { rowsInBoth } from "./postgres-rows.ts";
import { checkIsRecording, runConformance } from "./run.ts";
import { putAllInPostgres } from "./stores.ts";

const USAGE = `usage: npm run conformance -- [options] <recording folder>…
  --level full|replay   rules that blocks are held against (default full)
  --max N               differences to print of each part (default 10)
  --store postgres      keeps the stores in a PostgreSQL of its own, and compares their rows with those of LMDB (not of EVM recordings)
  --url postgres://…    in databases that it makes on this server instead, or on this coordinator of Citus and its nodes, and drops
only the requests of checkpoints:
  --follow index|height to a follower of a Firn that serves while it imports, block by block or through the index; and the rows of both
  --name TEXT           those in files whose name contains this
  --only a,b            methods, services or paths
  --skip a,b`;

/** so that the recordings' networks are released in some ten steps */
const STEP_BLOCKS = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    skip: { type: "string" },
    name: { type: "string" },
    follow: { type: "string" },
    level: { type: "string", default: "full" },
    max: { type: "string", default: "10" },
    store: { type: "string", default: "lmdb" },
    url: { type: "string" },
  },
});
const { level, follow, store, url } = values;
const isReading = follow === undefined || follow === "index" || follow === "height";
const isPlaced = store === "postgres" || (store === "lmdb" && url === undefined);
if (positionals.length === 0 || (level !== "full" && level !== "replay") || !isReading || !isPlaced) {
  console.error(USAGE);
  process.exit(2);
}
const isCheckpointsOnly = Boolean(follow ?? values.only ?? values.skip ?? values.name);
const total = { passed: 0, failed: 0 };
const server = store === "postgres" && url === undefined ? await PostgresServer.start() : undefined;
if (store === "postgres") putAllInPostgres(url ?? server!.url());
try {
  await checkAll({ level });
} catch (error) {
  if (!(error instanceof FirnError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await server?.remove();
}
if (total.passed + total.failed > 0) console.log(`${total.passed} passed, ${total.failed} failed`);
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;

async function checkAll({ level }: { level: RuleLevel }): Promise<void> {
  for (const folder of positionals) {
    checkIsRecording(folder);
    console.log(folder);
    const { passed, failed } = await (follow ? followed : isCheckpointsOnly ? runCheckpoints : runConformance)(folder, {
      level,
      maxShown: Number(values.max),
      log: console.log,
      ...(values.only && { only: values.only.split(",") }),
      ...(values.skip && { skip: values.skip.split(",") }),
      ...(values.name && { name: values.name }),
    });
    if (store === "postgres" && !isCheckpointsOnly && !isEvmRecording(folder)) await compareWithLmdb(folder, level);
    const left = isCheckpointsOnly ? " that --follow, --name, --only and --skip leave" : "";
    if (passed + failed === 0) throw new FirnError("archive-missing", `${folder} has nothing to compare${left}`);
    total.passed += passed;
    total.failed += failed;
  }
}

/** The whole recording, imported into both. */
async function compareWithLmdb(folder: string, level: RuleLevel): Promise<void> {
  const { rows, tables, differences } = await rowsInBoth(folder, level);
  for (const difference of differences) console.log(`✗ ${difference.slice(0, 2000)}`);
  console.log(`rows in PostgreSQL and LMDB: ${rows} in ${tables} tables, ${differences.length} tables differ`);
  if (differences.length === 0) total.passed++;
  else total.failed++;
}

async function followed(folder: string, options: CheckpointOptions): Promise<Totals> {
  const reading = follow === "index" ? "index" : "height";
  const { difference, passed, failed } = await runFollowedImport(folder, { ...options, reading, stepBlocks: STEP_BLOCKS });
  console.log(difference === undefined ? "rows: equal" : `✗ rows: ${difference.slice(0, 2000)}`);
  return difference === undefined ? { passed: passed + 1, failed } : { passed, failed: failed + 1 };
}
