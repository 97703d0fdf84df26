/**
 * `npm run bench:ingest -- [--runs 3] [--only "P, replay, without"]`: measures how fast the built Firn executes the recording `scale-1` into
 * an empty store, each case in a process of its own. Of several runs it shows the one with the median duration. `--only` takes the cases
 * whose names begin so. The reference node executed the P-chain at 2,270 transactions/s, without an index.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { RuleLevel } from "../src/primitives/rule-level.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { type Measured, measureIngest } from "./data-ingest.ts";

/** Measured while bootstrapping the first 10,000 transactions from another node (the recording's README). */
const REFERENCE_TRANSACTIONS_PER_SECOND = 2270;

interface Case {
  readonly chains: string;
  readonly until: string | undefined;
  readonly level: RuleLevel;
  readonly hasIndex: boolean;
}

async function measure({ until, level, hasIndex }: Case): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), "firn-bench-ingest-"));
  try {
    return await measureIngest(recordingFolder("scale-1"), directory, { until, level, hasIndex });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the case in a process of its own, to measure its CPU time and memory. */
function measureApart(chosen: Case): Measured {
  const script = fileURLToPath(import.meta.url);
  const output = execFileSync(process.execPath, ["--import", "tsx", script, "--case", JSON.stringify(chosen)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output.trim().split("\n").at(-1)!);
}

/** as `--only` names it */
function nameOf({ chains, level, hasIndex }: Case): string {
  return `${chains}, ${level}, ${hasIndex ? "with" : "without"}`;
}

function row({ chains, level, hasIndex }: Case, { seconds, userSeconds, mainSeconds, peakMb, blocks, transactions, ms }: Measured): string {
  const rate = transactions / seconds;
  const ratio = chains === "P" ? (rate / REFERENCE_TRANSACTIONS_PER_SECOND).toFixed(2) : "–";
  const phases = [ms.decode, ms.fetch, ms.ahead, ms.execute, ms.index, ms.commit].map((value) => (value / 1000).toFixed(2));
  const cells = [
    chains,
    level,
    hasIndex ? "with" : "without",
    seconds.toFixed(2),
    Math.round(blocks / seconds),
    Math.round(rate),
    ...phases,
  ];
  return `| ${[...cells, userSeconds.toFixed(1), mainSeconds.toFixed(1), Math.round(peakMb), ratio].join(" | ")} |`;
}

const { values } = parseArgs({
  options: { runs: { type: "string", default: "3" }, only: { type: "string", default: "" }, case: { type: "string" } },
});
if (values.case !== undefined) {
  console.log(JSON.stringify(await measure(JSON.parse(values.case))));
} else {
  execFileSync(fileURLToPath(new URL("../bin/firn", import.meta.url)), ["--version"]);
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n`);
  console.log(
    "| chains | level | index | s | blocks/s | tx/s | decode | fetch | proofs waited for | execute | index | commit | user CPU s | CPU s of the main thread | peak MB | × reference |",
  );
  console.log("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const level of ["replay", "full"] as const) {
    for (const [chains, until, hasIndex] of [
      ["P", "X=0", false],
      ["P", "X=0", true],
      ["X", "P=0", true],
      ["P and X", undefined, true],
    ] as const) {
      const chosen = { chains, until, level, hasIndex };
      // at level full, blocks of X are held against the heights of P that they name
      if ((chains === "X" && level === "full") || !nameOf(chosen).startsWith(values.only)) continue;
      const runs = Array.from({ length: Number(values.runs) }, () => measureApart(chosen)).sort((a, b) => a.seconds - b.seconds);
      console.log(row(chosen, runs[runs.length >> 1]!));
    }
  }
}
