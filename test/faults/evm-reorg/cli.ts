/** `npm run evm:reorg -- [--count 500] [--seed 1]` */
import { parseArgs } from "node:util";
import { reorganiseLive } from "./evm-reorg.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
  },
});
const result = await reorganiseLive({
  count: Number(values.count),
  seed: Number(values.seed),
  log: console.log,
});
console.log(
  `${result.reorganisations} reorganisations of up to ${result.deepest} blocks, ${result.undone} blocks undone: equal to a fresh index ${result.comparisons} times, ${result.rows} rows`,
);
