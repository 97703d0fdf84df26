/**
 * `npm run bench:growth -- [--payments 10000000] [--memory 2048] [--first 100000] [--recording DIR] [--scratch DIR]`: imports a synthetic
 * network (`synthetic/`) in a process that has so many MiB of memory, page cache included, and compares the rate at the end, with the merge
 * of the store's files, with that of the first transactions. Needs a cgroup that this user may create, so mostly root.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readConfig } from "../src/cli/config.ts";
import { importRecording } from "../src/cli/import-recording.ts";
import { generate } from "./synthetic/generate.ts";
import { scaled } from "./synthetic/scale.ts";

const { values } = parseArgs({
  options: {
    payments: { type: "string", default: "10000000" },
    memory: { type: "string", default: "2048" },
    first: { type: "string", default: "100000" },
    recording: { type: "string" },
    scratch: { type: "string", default: tmpdir() },
    "import-into": { type: "string" },
  },
});

/** In the process with little memory. */
async function importInto(dataDir: string, recording: string): Promise<void> {
  const config = readConfig({ flags: { dataDir, level: "replay", logLevel: "warn" }, environment: {} });
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const first = Number(values.first);
  let [transactions, firstRate, shown] = [0, 0, 0];
  await importRecording(recording, config, new AbortController().signal, (committed) => {
    transactions += committed.transactions;
    if (firstRate === 0 && transactions >= first) firstRate = transactions / seconds();
    if (transactions - shown < first) return;
    shown = transactions;
    console.log(`${transactions} transactions after ${seconds().toFixed(1)} s`);
  });
  const rate = transactions / seconds();
  console.log(`${transactions} transactions in ${seconds().toFixed(1)} s with the merge: ${rate.toFixed(0)}/s`);
  console.log(`the first ${first}: ${firstRate.toFixed(0)}/s; all ÷ first: ${(rate / firstRate).toFixed(2)}`);
}

/** Returns the group's `cgroup.procs`. */
function limitedGroup(name: string, mib: number): { readonly procs: string; remove(): void } {
  const isVersion1 = existsSync("/sys/fs/cgroup/memory");
  const folder = join(isVersion1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, isVersion1 ? "memory.limit_in_bytes" : "memory.max"), `${mib * 2 ** 20}`);
  return { procs: join(folder, "cgroup.procs"), remove: () => rmdirSync(folder) };
}

async function measure(): Promise<void> {
  const scratch = mkdtempSync(join(values.scratch, "firn-bench-growth-"));
  const group = limitedGroup(`firn-bench-${process.pid}`, Number(values.memory));
  try {
    const recording = values.recording ?? join(scratch, "recording");
    if (values.recording === undefined) console.log(`${await generate(recording, scaled(1, Number(values.payments)))} transactions`);
    const own = ["--import", "tsx", fileURLToPath(import.meta.url), "--first", values.first];
    const args = [...own, "--import-into", join(scratch, "data"), "--recording", recording];
    const intoGroup = 'echo $$ > "$0" && exec "$@"';
    execFileSync("sh", ["-c", intoGroup, group.procs, process.execPath, ...args], { stdio: "inherit" });
  } finally {
    group.remove();
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (values["import-into"] === undefined) await measure();
else await importInto(values["import-into"], values.recording!);
