/**
 * `npm run bench:data -- generate DIR [--scale 1] [--payments 500000]`: writes a synthetic network as a recording (see `synthetic/`).
 * `npm run bench:data -- ingest RECORDING [--runs 1]`: imports it with and without the Data API's index.
 */
import { parseArgs } from "node:util";
import { compareIngest } from "./data-ingest.ts";
import { generate } from "./synthetic/generate.ts";
import { scaled } from "./synthetic/scale.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: "string", default: "1" }, payments: { type: "string" }, runs: { type: "string", default: "1" } },
});
const [command, folder] = positionals;
if (folder === undefined) throw new Error("a folder is missing: npm run bench:data -- generate|ingest DIR");
if (command === "generate") {
  const startedAt = performance.now();
  const transactions = await generate(
    folder,
    scaled(Number(values.scale), values.payments === undefined ? undefined : Number(values.payments)),
  );
  console.log(`${folder}: ${transactions} transactions, written in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
} else if (command === "ingest") {
  compareIngest(folder, Number(values.runs));
} else {
  throw new Error(`${command} is no command; use generate or ingest`);
}
