/**
 * `npm run bench:ingest -- [--runs 3]`: measures how fast the built Firn executes the recording `scale-1` into an empty store, each case in
 * a process of its own. Of several runs it shows the one with the median duration. The reference node executed the P-chain at 2,270
 * transactions/s.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Committed } from "../src/ingest/ingester.ts";
import type { RuleLevel } from "../src/primitives/rule-level.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";

/** Measured while bootstrapping the first 10,000 transactions from another node (the recording's README). */
const REFERENCE_TRANSACTIONS_PER_SECOND = 2270;

interface Measured {
  readonly seconds: number;
  readonly userSeconds: number;
  readonly peakMb: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly ms: Record<keyof Committed["ms"], number>;
}

interface Case {
  readonly chains: string;
  readonly until: string | undefined;
  readonly level: RuleLevel;
}

/** Loads built modules, because users run those, without a TypeScript loader. */
async function built<M>(path: string): Promise<M> {
  return import(new URL(`../dist/${path}.js`, import.meta.url).href);
}

async function measure({ until, level }: Case): Promise<Measured> {
  const { importRecording } = await built<typeof import("../src/cli/import-recording.ts")>("cli/import-recording");
  const { readConfig } = await built<typeof import("../src/cli/config.ts")>("cli/config");
  const sum = { blocks: 0, transactions: 0, ms: { decode: 0, fetch: 0, ahead: 0, execute: 0, index: 0, commit: 0 } };
  const onCommit = ({ blocks, transactions, ms }: Committed) => {
    sum.blocks += blocks;
    sum.transactions += transactions;
    for (const phase of Object.keys(ms) as (keyof typeof ms)[]) sum.ms[phase] += ms[phase];
  };
  const dataDir = mkdtempSync(join(tmpdir(), "firn-bench-ingest-"));
  try {
    const config = readConfig({ flags: { dataDir, level, ...(until && { until }) }, environment: {}, file: undefined });
    const startedAt = performance.now();
    await importRecording(recordingFolder("scale-1"), config, new AbortController().signal, onCommit);
    const seconds = (performance.now() - startedAt) / 1000;
    const { userCPUTime, maxRSS } = process.resourceUsage();
    return { ...sum, seconds, userSeconds: userCPUTime / 1e6, peakMb: maxRSS / 1024 };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
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

function row({ chains, level }: Case, { seconds, userSeconds, peakMb, blocks, transactions, ms }: Measured): string {
  const rate = transactions / seconds;
  const ratio = chains === "P" ? (rate / REFERENCE_TRANSACTIONS_PER_SECOND).toFixed(2) : "–";
  const phases = [ms.decode, ms.fetch, ms.ahead, ms.execute, ms.index, ms.commit].map((value) => (value / 1000).toFixed(2));
  const cells = [chains, level, seconds.toFixed(2), Math.round(blocks / seconds), Math.round(rate), ...phases];
  return `| ${[...cells, userSeconds.toFixed(1), Math.round(peakMb), ratio].join(" | ")} |`;
}

const { values } = parseArgs({ options: { runs: { type: "string", default: "3" }, case: { type: "string" } } });
if (values.case !== undefined) {
  console.log(JSON.stringify(await measure(JSON.parse(values.case))));
} else {
  execFileSync(fileURLToPath(new URL("../bin/firn", import.meta.url)), ["--version"]);
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n`);
  console.log(
    "| chains | level | s | blocks/s | tx/s | decode | fetch | proofs waited for | execute | index | commit | user CPU s | peak MB | × reference |",
  );
  console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const level of ["replay", "full"] as const) {
    for (const [chains, until] of [
      ["P", "X=0"],
      ["X", "P=0"],
      ["P and X", undefined],
    ] as const) {
      const chosen = { chains, until, level };
      const runs = Array.from({ length: Number(values.runs) }, () => measureApart(chosen)).sort((a, b) => a.seconds - b.seconds);
      console.log(row(chosen, runs[runs.length >> 1]!));
    }
  }
}
