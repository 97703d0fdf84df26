/** `npm run reissue -- [recording …]`: issues recordings again and compares at every checkpoint. */
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { reissue } from "./reissue.ts";

const names = process.argv.length > 2 ? (process.argv.slice(2) as RecordingName[]) : (["latest-1", "eras-1"] as const);
for (const name of names) {
  const { issued, refused, compared, leftOut, differences } = await reissue({ folder: recordingFolder(name), log: console.log });
  for (const line of differences) console.log(`✗ ${line}`);
  console.log(`${name}: issued P ${issued.P}, X ${issued.X}, C ${issued.C}; ${refused} refusals; ${compared} requests compared`);
  for (const [reason, count] of leftOut) console.log(`  left out ${count}: ${reason}`);
  if (differences.length > 0) process.exitCode = 1;
}
