/**
 * `npm run fuzz:http -- [messages] [--seed n] [--bodies n]`: sends messages in streams, and single JSON bodies (a tenth as many), to a
 * served recording; prints wrong answers, and counts of all answers.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { recordingFolder } from "../conformance/recordings.ts";
import { fuzzServed } from "./http-served.ts";

/** a server that neither answers for so long nor hangs up hangs */
const PATIENCE_MS = 120_000;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" }, bodies: { type: "string" } } });
const messages = Number(positionals[0] ?? 100_000);
const count = Number(values.bodies ?? Math.ceil(messages / 10));
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scratch = mkdtempSync(join(tmpdir(), "firn-fuzz-"));
const startedAt = performance.now();
const unanswered = new Set<Buffer>();
let before = new Set<Buffer>();
const watching = setInterval(() => {
  for (const sent of unanswered) {
    if (!before.has(sent)) continue;
    console.log(`hangs, seed ${seed}: ${sent.toString("latin1").slice(0, 2000)}`);
    process.exit(1);
  }
  before = new Set(unanswered);
}, PATIENCE_MS);
try {
  const { problems, defects, outcomes, statuses, reached, slowestMs } = await fuzzServed({
    folder: recordingFolder("latest-1"),
    scratch,
    count,
    messages,
    seed,
    unanswered,
  });
  for (const line of [...problems, ...defects]) console.log(line.slice(0, 2000));
  console.log(outcomes, `slowest ${slowestMs.toFixed(0)} ms`);
  console.log(statuses, `${reached} streams were answered to their end`);
  console.log(`${messages} messages and ${count} bodies in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, seed ${seed}`);
  console.log(`${problems.length + defects.length} failed`);
  process.exitCode = problems.length + defects.length === 0 ? 0 : 1;
} finally {
  clearInterval(watching);
  rmSync(scratch, { recursive: true, force: true });
}
