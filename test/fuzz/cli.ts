/** `npx tsx test/fuzz/cli.ts [inputs] [seed]`: tries this many mutants of every recording. Prints the seed that repeats the run. */
import { RECORDINGS, recordingFolder } from "../conformance/recordings.ts";
import { fuzzRecording } from "./fuzz.ts";

const wanted = Number(process.argv[2] ?? 1_000_000);
let seed = Number(process.argv[3] ?? Date.now() % 2 ** 32);
let inputs = 0;
let failed = 0;
while (inputs < wanted && failed === 0) {
  for (const name of RECORDINGS.filter((recording) => recording !== "scale-1")) {
    const result = await fuzzRecording(recordingFolder(name), { seed, perTarget: 40 });
    inputs += result.inputs;
    failed += result.failures.length;
    console.log(`${name}, seed ${seed}: ${result.inputs} inputs, ${result.accepted} accepted, ${result.failures.length} failures`);
    for (const failure of result.failures) console.log(failure);
    seed++;
  }
}
console.log(`${inputs} inputs, ${failed} failures`);
process.exitCode = failed === 0 ? 0 : 1;
