/**
 * `npm run bench:evm -- [--transactions 100000] [--runs 1] [--threads 0,1,2] [--ponder DIR] [--no-ponder] [--no-sqd]`: measures how fast the built Firn
 * (`npm run build`) indexes a generated chain with call traces from a node that answers at once (`evm/chain-server.ts`), for each number of
 * threads that read answers, where the main thread's time goes, and rows and bytes by table. Then Ponder 1.0.0 indexes the ERC-20 transfers of
 * the same chain from the same node, and so does SQD with a PostgreSQL. Both are installed into temporary folders, Ponder into DIR if that is given.
 * The node shares the processors; its CPU time is counted apart.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { FirnCase, FirnMeasured } from "./evm/firn-case.ts";
import { type GeneratedChain, serveGeneratedChain } from "./evm/generated-chain.ts";
import { installPonder, runPonder } from "./evm/ponder.ts";
import { installSqd, runSqd } from "./evm/sqd.ts";
import { printRowsByTable } from "./rows-by-table.ts";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "100000" },
    runs: { type: "string", default: "1" },
    threads: { type: "string", default: "0,1,2" },
    ponder: { type: "string" },
    "no-ponder": { type: "boolean", default: false },
    "no-sqd": { type: "boolean", default: false },
  },
});

interface Run extends FirnMeasured {
  readonly nodeSeconds: number;
}

function runFirn(chain: GeneratedChain, threads: number, profiled: boolean): Run {
  const { url, height } = chain;
  const script = fileURLToPath(new URL("evm/firn-case.ts", import.meta.url));
  const chosen: FirnCase = { url, height, profiled, threads };
  const before = chain.cpuSeconds();
  const output = execFileSync(process.execPath, ["--import", "tsx", script, JSON.stringify(chosen)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { ...JSON.parse(output.trim().split("\n").at(-1)!), nodeSeconds: chain.cpuSeconds() - before };
}

function row(
  name: string,
  chain: GeneratedChain,
  { seconds, cpuSeconds, nodeSeconds, mainSeconds }: { seconds: number; cpuSeconds: number; nodeSeconds: number; mainSeconds?: number },
  rest: string[],
): string {
  const rates = [chain.height, chain.transactions, chain.logs].map((count) => Math.round(count / seconds));
  return `| ${[name, ...[seconds, cpuSeconds, mainSeconds, nodeSeconds].map((each) => each?.toFixed(1) ?? "–"), ...rates, ...rest].join(" | ")} |`;
}

function firnRow(chain: GeneratedChain, threads: number, measured: Run): string {
  const { rows, bytes, peakMb, transactions } = measured;
  if (transactions !== chain.transactions) throw new Error(`Firn indexed ${transactions} of ${chain.transactions} transactions`);
  return row(`Firn, everything, ${threads} threads`, chain, measured, [
    (rows / transactions).toFixed(1),
    `${Math.round(bytes / transactions)}`,
    `${Math.round(peakMb)}`,
  ]);
}

async function measurePonder(chain: GeneratedChain): Promise<{ seconds: number }> {
  const folder = values.ponder ?? mkdtempSync(join(tmpdir(), "firn-bench-ponder-"));
  try {
    installPonder(folder);
    const before = chain.cpuSeconds();
    const measured = await runPonder(folder, chain);
    const nodeSeconds = chain.cpuSeconds() - before;
    console.log(row(`Ponder 1.0.0, ${measured.events} ERC-20 transfers`, chain, { ...measured, nodeSeconds }, ["–", "–", "–"]));
    return measured;
  } finally {
    if (values.ponder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSqd(chain: GeneratedChain): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "firn-bench-sqd-"));
  try {
    installSqd(folder);
    const before = chain.cpuSeconds();
    const measured = await runSqd(folder, chain);
    const nodeSeconds = chain.cpuSeconds() - before;
    console.log(row(`SQD, ${measured.events} ERC-20 transfers, with PostgreSQL`, chain, { ...measured, nodeSeconds }, ["–", "–", "–"]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const chain = await serveGeneratedChain(Number(values.transactions));
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`);
  const { height, transactions, logs, bytes } = chain;
  console.log(`${height} blocks, ${transactions} transactions, ${logs} logs, ${Math.round(bytes / 1e6)} MB of answers\n`);
  console.log(
    "| | s | CPU s | of the main thread | of the node | blocks/s | transactions/s | logs/s | rows/transaction | bytes/transaction | peak MB |",
  );
  console.log(`|---|${"---:|".repeat(10)}`);
  const measured = values.threads.split(",").map((text) => {
    const threads = Number(text);
    const runs = Array.from({ length: Number(values.runs) }, () => runFirn(chain, threads, false)).sort((a, b) => a.seconds - b.seconds);
    const median = runs[runs.length >> 1]!;
    console.log(firnRow(chain, threads, median));
    return { threads, ...median };
  });
  const firn = measured.reduce((fastest, each) => (each.seconds < fastest.seconds ? each : fastest));
  const ponder = values["no-ponder"] ? undefined : await measurePonder(chain);
  if (!values["no-sqd"]) await measureSqd(chain);
  if (ponder !== undefined) console.log(`\nFirn is ${(ponder.seconds / firn.seconds).toFixed(1)} × as fast, with ${firn.threads} threads.`);
  printRowsByTable(firn.tables, firn.transactions, firn.bytes);
  console.log(`\n| where the main thread's time goes, with ${firn.threads} threads | share |\n|---|---:|`);
  for (const [part, share] of Object.entries(runFirn(chain, firn.threads, true).share))
    console.log(`| ${part} | ${(100 * share).toFixed(1)} % |`);
} finally {
  chain.stop();
}
