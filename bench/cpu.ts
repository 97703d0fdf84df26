/**
 * `npm run bench:cpu -- --against PROGRAM [--rounds 5] [--only TEXT] [--data-dir DIR]`: compares the CPU time per request of this Firn with
 * that of another `bin/firn` (an older one, say), on one store of `scale-1` that both can read. CPU time says what a change costs even where
 * other work runs on the machine. Both serve with one worker, and are asked in turn.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { listeningUrl } from "../test/serve/listening-url.ts";
import { askAll } from "./closed-loop.ts";
import type { LoadRequest } from "./load.ts";
import { run } from "./load.ts";
import { cpuMs } from "./resident.ts";

interface Case extends LoadRequest {
  readonly name: string;
  /** requests of one measurement */
  readonly count: number;
  /** every URL is unique, so that no cached answer is used */
  readonly isEachNew?: true;
}

const call = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const CASES: readonly Case[] = [
  { name: "platform.getHeight", path: "/ext/bc/P", body: call("platform.getHeight", {}), count: 40_000 },
  { name: "Data API, 10 validators", path: "/v1/networks/fuji/validators?pageSize=10", count: 30_000 },
  { name: "platform.getValidatorsAt, 367 kB", path: "/ext/bc/P", body: call("platform.getValidatorsAt", { height: 422 }), count: 6000 },
  {
    ...{ name: "Data API, 10 transactions, made anew", path: "/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=10" },
    ...{ count: 2500, isEachNew: true },
  },
];

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    "data-dir": { type: "string" },
  },
});
if (values.against === undefined) throw new Error("name the other program: --against ../older/bin/firn");
const ours = fileURLToPath(new URL("../bin/firn", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "firn-bench-cpu-"));
const dataDir = values["data-dir"] ?? scratch;

async function start(program: string): Promise<{ child: ChildProcess; origin: string }> {
  const serve = ["serve", "--data-dir", dataDir, "--http-port", "0", "--workers", "1", "--log-level", "error"];
  const child = spawn(process.execPath, [program, ...serve], { stdio: ["ignore", "pipe", "inherit"] });
  return { child, origin: await listeningUrl(child) };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** In microseconds per request. */
async function measure({ child, origin }: { child: ChildProcess; origin: string }, each: Case): Promise<number> {
  const before = await cpuMs(child.pid!);
  await askAll(origin, each, each.count, each.isEachNew === true);
  return (((await cpuMs(child.pid!)) - before) * 1000) / each.count;
}

try {
  if (!existsSync(join(dataDir, "store")))
    await run(ours, ["import", recordingFolder("scale-1"), "--data-dir", dataDir, "--level", "replay"]);
  console.log("| case | CPU µs per request, before | now | ratio | ratios of the rounds |\n|---|---:|---:|---:|---|");
  const servers = [await start(values.against), await start(ours)] as const;
  for (const each of CASES.filter(({ name }) => name.includes(values.only))) {
    for (const server of servers) await measure(server, each);
    const rounds: [number, number][] = [];
    for (let round = 0; round < Number(values.rounds); round++)
      rounds.push([await measure(servers[0], each), await measure(servers[1], each)]);
    const [before, now] = [median(rounds.map(([first]) => first)), median(rounds.map(([, second]) => second))];
    const ratios = rounds.map(([first, second]) => (second / first).toFixed(2)).join(" ");
    console.log(`| ${each.name} | ${before.toFixed(1)} | ${now.toFixed(1)} | ${(now / before).toFixed(2)} | ${ratios} |`);
  }
  for (const { child } of servers) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
