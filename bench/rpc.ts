/**
 * `npm run bench:rpc -- [--seconds 3] [--only text]`: measures requests per second of every case in a recording's `rpc-cases.tsv`, beside a
 * bare node:http server with as many processes in the same run, and beside the reference node's figures (scaled by its own bare server).
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { freePort } from "./free-port.ts";
import { load, requireWrk, run } from "./load.ts";
import { residentMb } from "./resident.ts";

/** Requests/s of a bare node:http server on the reference node's machine, by number of processes (recording's README). */
const REFERENCE_BARE = { 1: 52_000, 2: 108_000 } as const;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, only: { type: "string", default: "" }, "data-dir": { type: "string" } },
});
const seconds = Number(values.seconds);
const firn = fileURLToPath(new URL("../bin/firn", import.meta.url));
const recording = recordingFolder("scale-1");

function table(file: string): string[][] {
  return readFileSync(join(recording, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t"));
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`${url} does not answer`);
}

/** Rate of the bare server for the first (small) case, by workers, which scales the reference figures. */
const smallAnswerRate: Partial<Record<1 | 2, number>> = {};

requireWrk();
const cases = table("rpc-cases.tsv").filter(([name]) => name!.includes(values.only));
const reference = new Map(table("rpc-bench.tsv").map(([name, requestsPerSecond]) => [name, Number(requestsPerSecond)]));
const dataDir = values["data-dir"] ?? mkdtempSync(join(tmpdir(), "firn-bench-store-"));
if (!existsSync(join(dataDir, "store"))) await run(firn, ["import", recording, "--data-dir", dataDir, "--level", "replay"]);

for (const workers of [1, 2] as const) {
  const [port, barePort] = [await freePort(), await freePort()];
  const server = spawn(firn, ["serve", "--data-dir", dataDir, "--http-port", `${port}`, "--workers", `${workers}`], { stdio: "ignore" });
  const bare = spawn(process.execPath, [
    "--import",
    "tsx",
    fileURLToPath(new URL("bare-server.ts", import.meta.url)),
    `${barePort}`,
    `${workers}`,
  ]);
  try {
    await Promise.all([answers(`http://127.0.0.1:${port}/ext/health/liveness`), answers(`http://127.0.0.1:${barePort}/1`)]);
    console.log(`\n${workers} worker${workers > 1 ? "s" : ""}\n`);
    console.log("| case | bytes | first, ms | requests/s | p50 ms | p99 ms | bare server | ratio | × reference (scaled) |");
    console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (const [name, path, body] of cases) {
      const url = `http://127.0.0.1:${port}${path}`;
      const askedAt = performance.now();
      const reply = await (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: body! })).text();
      const firstMs = performance.now() - askedAt;
      if (!reply.includes('"result"')) throw new Error(`${name}: ${reply.slice(0, 200)}`);
      await load(url, body!, 1);
      const ours = await load(url, body!, seconds);
      const baseline = await load(`http://127.0.0.1:${barePort}/${reply.length}`, body!, seconds);
      const ratio = ours.requestsPerSecond / baseline.requestsPerSecond;
      const scaled =
        ours.requestsPerSecond /
        bareOfSize(baseline.requestsPerSecond, workers) /
        ((reference.get(name!) ?? Number.NaN) / REFERENCE_BARE[workers]);
      console.log(
        `| ${name} | ${reply.length} | ${firstMs.toFixed(1)} | ${Math.round(ours.requestsPerSecond)} | ${ours.p50Ms.toFixed(2)} | ${ours.p99Ms.toFixed(2)} | ${Math.round(baseline.requestsPerSecond)} | ${ratio.toFixed(2)} | ${scaled.toFixed(1)} |`,
      );
    }
    console.log(`\nresident memory of all server processes after the run: ${await residentMb(server.pid!)} MB`);
  } finally {
    server.kill("SIGTERM");
    bare.kill("SIGTERM");
  }
}
if (values["data-dir"] === undefined) rmSync(dataDir, { recursive: true, force: true });

/** This run's bare-server rate for small answers, measured once per number of workers. */
function bareOfSize(measured: number, workers: 1 | 2): number {
  smallAnswerRate[workers] ??= measured;
  return smallAnswerRate[workers];
}
