/**
 * `npm run fuzz:heads -- [streams] [--seed n]`: sends streams of requests to a server that answers some without parsing them, and to one
 * that parses all; prints where their answers differ.
 */
import { parseArgs } from "node:util";
import { fuzzKnownHeads } from "./known-heads-fuzz.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const startedAt = performance.now();
const { problems, streams, unparsed } = await fuzzKnownHeads({ count: Number(positionals[0] ?? 1_000_000), seed });
for (const problem of problems) console.log(problem.slice(0, 3000));
console.log(
  `${streams} streams, ${unparsed} requests answered without node:http, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, seed ${seed}`,
);
console.log(`${problems.length} failed`);
process.exitCode = problems.length === 0 ? 0 : 1;
