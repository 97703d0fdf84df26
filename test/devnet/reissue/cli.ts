/** `npm run reissue -- [--every 1] [recording …]`: issues recordings again and compares at every checkpoint, or at every n-th. */
import { parseArgs } from "node:util";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { reissue } from "./reissue.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { every: { type: "string", default: "1" } } });
const every = Number(values.every);
const names = positionals.length > 0 ? (positionals as RecordingName[]) : (["latest-1", "eras-1"] as const);
for (const name of names) {
  const isCompared = (_: unknown, index: number) => index % every === every - 1;
  const { issued, refused, compared, leftOut, differences } = await reissue({
    folder: recordingFolder(name),
    isCompared,
    log: console.log,
  });
  for (const line of differences) console.log(`✗ ${line}`);
  console.log(`${name}: issued P ${issued.P}, X ${issued.X}, C ${issued.C}; ${refused} refusals; ${compared} requests compared`);
  for (const [reason, count] of leftOut) console.log(`  left out ${count}: ${reason}`);
  if (differences.length > 0) process.exitCode = 1;
}
