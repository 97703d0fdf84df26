/** `npm run evm:faults -- [--count 200] [--seed 1]` */
import { parseArgs } from "node:util";
import { killFollowers } from "./evm-kill.ts";

const { values } = parseArgs({ options: { count: { type: "string", default: "200" }, seed: { type: "string", default: "1" } } });
const { kills, amidst, onReplacedBranch, comparisons } = await killFollowers({
  count: Number(values.count),
  seed: Number(values.seed),
  log: console.log,
});
const occasions = Object.entries(kills).map(([occasion, count]) => `${count} ${occasion}`);
console.log(
  `killed ${occasions.join(", ")}; ${amidst} amidst, ${onReplacedBranch} on a replaced branch: equal to an uninterrupted index ${comparisons} times`,
);
