/** `npm run faults:postgres -- [--count 200] [--seed 1] [--readers 3] [--stopped 30]`: seconds that a stopped process stays so. Fails if p99 of take-overs is 5 s or more. */
import { parseArgs } from "node:util";
import { randomOf } from "../../random.ts";
import { FAULTS, runFaults } from "./faults.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    readers: { type: "string", default: "3" },
    stopped: { type: "string", default: "30" },
  },
});
const LONGEST_MS = 5000;
const seed = Number(values.seed);
const random = randomOf(seed);
const faults = Array.from({ length: Number(values.count) }, () => FAULTS[Math.floor(random() * FAULTS.length)]!);
console.log(`seed ${seed}, ${faults.length} faults`);
const { takeOvers, blocks, answered, refused, states, slowestMs } = await runFaults({
  faults,
  seed,
  readers: Number(values.readers),
  stoppedMs: Number(values.stopped) * 1000,
  log: console.log,
});
const quantile = (list: readonly number[], share: number) => list.toSorted((a, b) => a - b)[Math.ceil(list.length * share) - 1]!;
const row = (name: string, list: readonly number[]) =>
  console.log(
    `${name}: ${list.length} take-overs, p50 ${Math.round(quantile(list, 0.5))} ms, p99 ${Math.round(quantile(list, 0.99))} ms, longest ${Math.round(Math.max(...list))} ms`,
  );
for (const [fault, list] of Object.entries(takeOvers)) row(fault, list);
const all = Object.values(takeOvers).flat();
row("all", all);
console.log(
  `${blocks} blocks, none lost, doubled or of a deposed ingester; ${answered} answers of ${states} states, none mixed; ${refused} refused with 503; the slowest took ${Math.round(slowestMs)} ms`,
);
if (quantile(all, 0.99) >= LONGEST_MS) {
  console.error(`p99 is not below ${LONGEST_MS} ms`);
  process.exitCode = 1;
}
