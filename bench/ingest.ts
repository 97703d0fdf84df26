/**
 * `npm run bench:ingest -- [--runs 3] [--only "P, replay, without"]`: measures how fast the built Firn executes the recording `scale-1` into
 * an empty store, each case in a process of its own. Of several runs it shows the one with the median duration. `--only` takes the cases
 * whose names begin so. At level full, where signatures are verified, each case runs with no thread that recovers signers ahead, with 1, 2, and
 * more where there are processors; the last column is the rate compared with that of no thread. The reference node executed the P-chain at 2,270 transactions/s, without an index.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { RuleLevel } from "../src/base/errors/rule-level.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { type Measured, measureIngest } from "./data-ingest.ts";

/** Measured while bootstrapping the first 10,000 transactions from another node (the recording's README). */
const REFERENCE_TRANSACTIONS_PER_SECOND = 2270;

interface Case {
  readonly chains: string;
  readonly until: string | undefined;
  readonly level: RuleLevel;
  readonly hasIndex: boolean;
  /** that recover signers; at level replay there is nothing for them to do */
  readonly threads: number;
}

async function measure({ chains: _, ...options }: Case): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), "firn-bench-ingest-"));
  try {
    return await measureIngest(recordingFolder("scale-1"), directory, options);
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

/** Of each case the run with the median duration. The cases run in turn, so that each has its share of what else the machine does. */
function medianOfRuns(cases: readonly Case[], count: number): Measured[] {
  const rounds = Array.from({ length: count }, () => cases.map(measureApart));
  return cases.map((_, i) => rounds.map((round) => round[i]!).sort((a, b) => a.seconds - b.seconds)[count >> 1]!);
}

/** as `--only` names it */
function nameOf({ chains, level, hasIndex, threads }: Case): string {
  return `${chains}, ${level}, ${hasIndex ? "with" : "without"}, ${threads}`;
}

/** One besides the main thread for each processor, but two in any case. At level replay there is nothing for them to do. */
function threadCounts(level: RuleLevel): number[] {
  return level === "replay" ? [0] : [0, 1, 2, 4, 8].filter((count) => count <= Math.max(2, cpus().length - 1));
}

/** @param alone transactions per second of the same case without threads */
function row({ chains, level, hasIndex, threads }: Case, measured: Measured, alone: number): string {
  const { seconds, userSeconds, mainSeconds, peakMb, blocks, transactions, ms } = measured;
  const rate = transactions / seconds;
  const ratio = chains === "P" ? (rate / REFERENCE_TRANSACTIONS_PER_SECOND).toFixed(2) : "–";
  const phases = [ms.decode, ms.fetch, ms.ahead, ms.execute, ms.index, ms.commit].map((value) => (value / 1000).toFixed(2));
  const cells = [
    chains,
    level,
    hasIndex ? "with" : "without",
    threads,
    seconds.toFixed(2),
    Math.round(blocks / seconds),
    Math.round(rate),
    ...phases,
  ];
  const cpu = [userSeconds, mainSeconds, userSeconds - mainSeconds].map((value) => value.toFixed(1));
  return `| ${[...cells, ...cpu, Math.round(peakMb), ratio, (rate / alone).toFixed(2)].join(" | ")} |`;
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
    "| chains | level | index | threads | s | blocks/s | tx/s | decode | fetch | proofs waited for | execute | index | commit | user CPU s | CPU s of the main thread | of others | peak MB | × reference | × 0 threads |",
  );
  console.log("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const level of ["replay", "full"] as const) {
    for (const [chains, until, hasIndex] of [
      ["P", "X=0", false],
      ["P", "X=0", true],
      ["X", "P=0", true],
      ["P and X", undefined, true],
    ] as const) {
      // at level full, blocks of X are held against the heights of P that they name
      if (chains === "X" && level === "full") continue;
      const variants = threadCounts(level).map((threads): Case => ({ chains, until, level, hasIndex, threads }));
      const shown = variants.filter((variant) => nameOf(variant).startsWith(values.only));
      const medians = medianOfRuns(shown, Number(values.runs));
      for (const [i, variant] of shown.entries()) console.log(row(variant, medians[i]!, medians[0]!.transactions / medians[0]!.seconds));
    }
  }
}
