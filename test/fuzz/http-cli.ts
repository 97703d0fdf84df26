/** `npx tsx test/fuzz/http-cli.ts [count] [seed]`: random requests to a served recording; what is wrong with the answers, and which there were. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordingFolder } from "../conformance/recordings.ts";
import { fuzzServed } from "./http-served.ts";

const [count = "100000", seed = `${Date.now() % 1_000_000}`] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "firn-fuzz-"));
try {
  const { problems, defects, outcomes, slowestMs } = await fuzzServed({
    folder: recordingFolder("latest-1"),
    scratch,
    count: Number(count),
    seed: Number(seed),
  });
  for (const line of [...problems, ...defects]) console.log(line.slice(0, 2000));
  console.log(outcomes, `slowest ${slowestMs.toFixed(0)} ms, seed ${seed}`);
  console.log(`${problems.length + defects.length} failed`);
  process.exitCode = problems.length + defects.length === 0 ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
