/** `npm run fuzz:blocks -- 1000 [--seed 1] [--cases N]` */
import { parseArgs } from "node:util";
import { fuzzBlocks } from "./fuzz-blocks.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    cases: { type: "string" },
    max: { type: "string", default: "10" },
  },
});
const blocks = Number(positionals[0] ?? 1000);
const cases = values.cases === undefined ? undefined : Number(values.cases);
const { asked, all, failures, happened } = await fuzzBlocks({ blocks, seed: Number(values.seed), cases, log: console.log });
console.log(
  Object.entries(happened)
    .map(([what, count]) => `${count} ${what}`)
    .join(", "),
);
for (const failure of failures.slice(0, Number(values.max))) console.log(`✗ ${failure}`);
console.log(`${blocks} hostile blocks, seed ${values.seed}: ${asked} of ${all} questions asked, ${failures.length} answered wrongly`);
process.exitCode = failures.length === 0 ? 0 : 1;
