/**
 * `npm run bench:start -- --data-dir DIR`: measures the time from starting the process of `firn serve` on an existing store to its first
 * answer, and to the first answer of the Data API, which is loaded after the start (median of 7), with one and with two workers, beside a
 * bare node process. Also measures resident memory when idle.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { listeningUrl } from "../test/serve/listening-url.ts";
import { residentMb } from "./resident.ts";

const RUNS = 7;
const firn = fileURLToPath(new URL("../bin/firn", import.meta.url));
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
if (values["data-dir"] === undefined) throw new Error("--data-dir is missing: a store that `firn import` made");
const dataDir = values["data-dir"];

interface Start {
  readonly listeningMs: number;
  readonly answeredMs: number;
  readonly dataAnsweredMs: number;
  readonly residentMb: number;
}

async function start(workers: number): Promise<Start> {
  const startedAt = performance.now();
  const server = spawn(process.execPath, [firn, "serve", "--data-dir", dataDir, "--http-port", "0", "--workers", `${workers}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await listeningUrl(server);
  const listeningMs = performance.now() - startedAt;
  const response = await fetch(`${url}/ext/health/liveness`);
  await response.text();
  const answeredMs = performance.now() - startedAt;
  const dataResponse = await fetch(`${url}/v1/live-check`);
  await dataResponse.text();
  const dataAnsweredMs = performance.now() - startedAt;
  const resident = await residentMb(server.pid!);
  server.kill("SIGTERM");
  await once(server, "exit");
  return { listeningMs, answeredMs, dataAnsweredMs, residentMb: resident };
}

function median(numbers: readonly number[]): number {
  return Math.round([...numbers].sort((a, b) => a - b)[numbers.length >> 1]!);
}

// Build Firn before anything is measured
spawnSync(process.execPath, [firn, "--version"]);
const bareMs = median(
  Array.from({ length: RUNS }, () => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - startedAt;
  }),
);
console.log("| workers | listening, ms | first answer, ms | first of the Data API, ms | resident, MB | node itself, ms |");
console.log("|---:|---:|---:|---:|---:|---:|");
for (const workers of [1, 2]) {
  const starts: Start[] = [];
  for (let run = 0; run < RUNS; run++) starts.push(await start(workers));
  const of = (name: keyof Start) => median(starts.map((measured) => measured[name]));
  console.log(`| ${workers} | ${of("listeningMs")} | ${of("answeredMs")} | ${of("dataAnsweredMs")} | ${of("residentMb")} | ${bareMs} |`);
}
