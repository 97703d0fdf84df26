/**
 * `npm run fuzz:upstream -- [answers] [--seed n]`: follows chains from nodes that give this many hostile answers, and compares the indexes.
 */
import { parseArgs } from "node:util";
import { recordingFolder } from "../../conformance/recordings.ts";
import { fuzzUpstream } from "./fuzz-upstream.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: "string", default: "1" } } });
const count = Number(positionals[0] ?? 10_000);
const seed = Number(values.seed);
const startedAt = performance.now();
const before = process.memoryUsage().rss;
let mostBytes = 0;
const watching = setInterval(() => {
  mostBytes = Math.max(mostBytes, process.memoryUsage().rss - before);
}, 50);
const { failures, sent, chains } = await fuzzUpstream({ folder: recordingFolder("evm-1"), count, seed, log: console.log });
clearInterval(watching);
console.log(sent);
for (const failure of failures.slice(0, 20)) console.log(`✗ ${failure.slice(0, 1000)}`);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
const mib = (mostBytes / 2 ** 20).toFixed(0);
console.log(
  `${count} hostile answers on ${chains} chains in ${seconds} s, seed ${seed}: ${failures.length} failed, at most ${mib} MiB more memory`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
