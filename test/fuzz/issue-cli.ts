/** `npm run fuzz:issue -- [mutants] [seed]`: sends mutants of every recorded transaction just before that one is issued. */
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { reissue } from "../devnet/reissue/reissue.ts";
import { describeSamples, IssueMutants } from "./issue-mutants.ts";
import { Random } from "./mutate.ts";

const [wanted = "10000", seed = `${Date.now() % 1_000_000}`] = process.argv.slice(2);
/** of both recordings */
const TRANSACTIONS = 1198;
const mutants = new IssueMutants(new Random(Number(seed)), Math.ceil(Number(wanted) / TRANSACTIONS));
let isRight = true;
for (const name of ["latest-1", "eras-1"] satisfies RecordingName[]) {
  const { differences } = await reissue({
    folder: recordingFolder(name),
    isCompared: () => false,
    beforeIssue: (url, issue) => mutants.sendBefore(url, issue),
    log: console.log,
  });
  for (const line of differences) console.log(`✗ ${name}: ${line}`);
  isRight &&= differences.length === 0;
}
for (const problem of mutants.problems) console.log(`✗ ${problem}`);
console.log(`${mutants.sent} mutants, ${mutants.problems.length} not refused as they should; seed ${seed}`);
console.log(describeSamples(mutants.samples));
process.exitCode = isRight && mutants.problems.length === 0 ? 0 : 1;
