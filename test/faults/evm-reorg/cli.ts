/** `npm run evm:reorg -- [--count 500] [--seed 1] [--compare-every 50]` */
import { parseArgs } from "node:util";
import { reorganiseLive } from "./evm-reorg.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    "compare-every": { type: "string", default: "50" },
  },
});
const result = await reorganiseLive({
  count: Number(values.count),
  seed: Number(values.seed),
  compareEvery: Number(values["compare-every"]),
  log: console.log,
});
console.log(
  `${result.reorganisations} reorganisations of up to ${result.deepest} blocks, ${result.undone} blocks undone: equal to a fresh index ${result.comparisons} times, ${result.rows} rows at the end`,
);
