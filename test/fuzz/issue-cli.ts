/** `npm run fuzz:issue -- [mutants] [seed]`: sends mutants of every recorded transaction just before that one is issued. */
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { reissue } from "../devnet/reissue/reissue.ts";
import { askSimply, IssueMutants } from "./issue-mutants.ts";
import { Random } from "./mutate.ts";

const [wanted = "10000", seed = `${Date.now() % 1_000_000}`] = process.argv.slice(2);
/** of both recordings */
const TRANSACTIONS = 1198;
const mutants = new IssueMutants(new Random(Number(seed)), Math.ceil(Number(wanted) / TRANSACTIONS));
/** What a valid request took, and the memory that the process held then. */
interface Sample {
  readonly ms: number;
  readonly heapBytes: number;
}

const samples: Sample[] = [];
let isRight = true;
for (const name of ["latest-1", "eras-1"] satisfies RecordingName[]) {
  const { differences } = await reissue({
    folder: recordingFolder(name),
    isCompared: () => false,
    beforeIssue: async (url, issue) => {
      await mutants.sendBefore(url, issue);
      const startedAt = performance.now();
      await askSimply(url);
      samples.push({ ms: performance.now() - startedAt, heapBytes: process.memoryUsage().heapUsed });
    },
    log: console.log,
  });
  for (const line of differences) console.log(`✗ ${name}: ${line}`);
  isRight &&= differences.length === 0;
}
for (const problem of mutants.problems) console.log(`✗ ${problem}`);
console.log(`${mutants.sent} mutants, ${mutants.problems.length} not refused as they should; seed ${seed}`);
console.log(describeSamples());
process.exitCode = isRight && mutants.problems.length === 0 ? 0 : 1;

/** Median and 99th percentile of the first and the last quarter, and the memory at both ends: one line for people. */
function describeSamples(): string {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const describe = (part: readonly Sample[]) => {
    const sorted = part.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1);
    const heap = part.reduce((sum, { heapBytes }) => sum + heapBytes, 0) / part.length / 2 ** 20;
    return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, heap ${heap.toFixed(0)} MiB`;
  };
  return `valid requests in the first quarter: ${describe(samples.slice(0, quarter))}; in the last: ${describe(samples.slice(-quarter))}`;
}
