/**
 * `npm run bench:data -- [--scale 1] [--payments 500000] [--seconds 2] [--only TEXT] [--workers 1,2]`: generates a synthetic network,
 * imports it, and measures requests to every route of the Data API. `--data-dir DIR` measures an existing store, `--keep DIR` keeps
 * recording and store.
 * `npm run bench:data -- generate DIR [--scale 1] [--payments 500000]`: writes the synthetic network as a recording (see `synthetic/`).
 * `npm run bench:data -- ingest RECORDING [--runs 1]`: imports a recording with and without the Data API's index,
 * and shows rows and bytes by table.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareIngest } from "./data-ingest.ts";
import { measureRequests } from "./data-requests.ts";
import { requireWrk, run } from "./load.ts";
import { generate } from "./synthetic/generate.ts";
import { scaled } from "./synthetic/scale.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: "string", default: "1" },
    payments: { type: "string" },
    runs: { type: "string", default: "1" },
    seconds: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    "data-dir": { type: "string" },
    keep: { type: "string" },
    workers: { type: "string", default: "1,2" },
  },
});

async function write(folder: string): Promise<void> {
  const startedAt = performance.now();
  const payments = values.payments === undefined ? undefined : Number(values.payments);
  const transactions = await generate(folder, scaled(Number(values.scale), payments));
  console.log(`${transactions} transactions, written in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

async function writeAndImport(folder: string): Promise<string> {
  const [recording, dataDir] = [join(folder, "recording"), join(folder, "data")];
  mkdirSync(folder, { recursive: true });
  await write(recording);
  const firn = fileURLToPath(new URL("../bin/firn", import.meta.url));
  console.log((await run(firn, ["import", recording, "--data-dir", dataDir, "--level", "replay"])).trim());
  return dataDir;
}

async function measure(): Promise<void> {
  requireWrk();
  const options = { seconds: Number(values.seconds), only: values.only, workerCounts: values.workers.split(",").map(Number) };
  if (values["data-dir"] !== undefined) return measureRequests({ ...options, dataDir: values["data-dir"] });
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), "firn-bench-data-"));
  try {
    await measureRequests({ ...options, dataDir: await writeAndImport(folder) });
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const [command, folder] = positionals;
if (command === undefined) await measure();
else if (folder === undefined) throw new Error("a folder is missing: npm run bench:data -- generate|ingest DIR");
else if (command === "generate") await write(folder);
else if (command === "ingest") compareIngest(folder, Number(values.runs));
else throw new Error(`${command} is no command; use generate or ingest, or none`);
