/**
 * `npm run bench:rpc -- [--seconds 3] [--only text]`: measures requests per second of calls that differ, as users ask them, of a mix whose half
 * repeats, and of every case of a recording's `rpc-cases.tsv` repeated word for word. Each stands beside a bare node:http server with as many
 * processes in the same run, and beside the reference node's figures, which were measured with one repeated call (scaled by its own bare
 * server). CPU is that of all server processes, for one request.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { distinctCalls, mixOf } from "./distinct-calls.ts";
import { freePort } from "./free-port.ts";
import { type LoadRequest, loadInTurn, requireWrk, run } from "./load.ts";
import { measuredLoad } from "./page-load.ts";
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

/** Answers whose size is measured, of each case. */
const SAMPLE = 100;
/** Calls that wallets and monitors repeat. */
const POLLS = new Set([
  "info.getNetworkID",
  "avm.getHeight",
  "platform.getHeight",
  "platform.getCurrentValidators one node",
  "platform.getFeeState",
]);
/** Rate of the bare server for small answers, by workers, which scales the reference figures. */
const smallAnswerRate: Partial<Record<1 | 2, number>> = {};

requireWrk();
const cases = table("rpc-cases.tsv");
const reference = new Map(table("rpc-bench.tsv").map(([name, requestsPerSecond]) => [name, Number(requestsPerSecond)]));
const dataDir = values["data-dir"] ?? mkdtempSync(join(tmpdir(), "firn-bench-store-"));
if (!existsSync(join(dataDir, "store"))) await run(firn, ["import", recording, "--data-dir", dataDir, "--level", "replay"]);

for (const workers of [1, 2] as const) {
  const { port, server } = await serve(workers);
  const bareOrigin = `http://127.0.0.1:${await freePort()}`;
  const bare = spawn(process.execPath, [
    "--import",
    "tsx",
    fileURLToPath(new URL("bare-server.ts", import.meta.url)),
    new URL(bareOrigin).port,
    `${workers}`,
  ]);
  const origin = `http://127.0.0.1:${port}`;
  try {
    await Promise.all([answers(`${origin}/ext/health/liveness`), answers(`${bareOrigin}/1`)]);
    const distinct = await distinctCalls(origin);
    const measure = async (name: string, requests: readonly LoadRequest[]) => {
      await loadInTurn(origin, requests, 1);
      const bytes = await averageBytes(origin, requests);
      const ours = await measuredLoad(server, origin, requests, seconds);
      const baseline = await measuredLoad(bare, bareOrigin, [{ path: `/${bytes}`, body: requests[0]!.body }], seconds);
      const scaled = ours.requestsPerSecond / smallAnswerRate[workers]! / ((reference.get(name) ?? Number.NaN) / REFERENCE_BARE[workers]);
      const figures = [
        ...[requests.length, bytes, Math.round(ours.requestsPerSecond), ours.p50Ms.toFixed(2), ours.p99Ms.toFixed(2)],
        ...[(ours.cpuMs * 1000).toFixed(0), (baseline.cpuMs * 1000).toFixed(0), (ours.cpuMs / baseline.cpuMs).toFixed(1)],
        ...[Math.round(baseline.requestsPerSecond), Number.isNaN(scaled) ? "–" : scaled.toFixed(2)],
      ];
      console.log(`| ${name} | ${figures.join(" | ")} |`);
    };
    const head = (title: string) => {
      console.log(`\n${workers} worker${workers > 1 ? "s" : ""}, ${title}\n`);
      console.log(
        "| case | distinct | bytes | requests/s | p50 ms | p99 ms | CPU µs | bare CPU µs | ratio | bare server/s | × reference, scaled |",
      );
      console.log(`|---|${"---:|".repeat(10)}`);
    };
    // the rate of small answers, by which the reference figures are scaled
    await loadInTurn(bareOrigin, [{ path: "/64", body: "{}" }], 1);
    smallAnswerRate[workers] = (await loadInTurn(bareOrigin, [{ path: "/64", body: "{}" }], seconds)).requestsPerSecond;
    head("calls that differ");
    for (const [name, calls] of distinct) if (name.includes(values.only)) await measure(name, calls);
    const polls = cases.filter(([name]) => POLLS.has(name!)).map(([, path, body]) => ({ path: path!, body }));
    if ("mix".includes(values.only)) await measure("mix: half polls, half calls that differ", mixOf(distinct, polls));
    head("one call again and again");
    for (const [name, path, body] of cases) if (name!.includes(values.only)) await measure(name!, [{ path: path!, body }]);
    console.log(`\nresident memory of all server processes after the run: ${await residentMb(server.pid!)} MB`);
  } finally {
    server.kill("SIGTERM");
    bare.kill("SIGTERM");
  }
}
if (values["data-dir"] === undefined) rmSync(dataDir, { recursive: true, force: true });

async function serve(workers: number) {
  const port = await freePort();
  const server = spawn(firn, ["serve", "--data-dir", dataDir, "--http-port", `${port}`, "--workers", `${workers}`], { stdio: "ignore" });
  return { port, server };
}

/** Average size of a sample of answers, in bytes; throws if a call has no result. */
async function averageBytes(origin: string, requests: readonly LoadRequest[]): Promise<number> {
  const sample = requests.slice(0, SAMPLE);
  let bytes = 0;
  for (const { path, body } of sample) {
    const response = await fetch(`${origin}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: body! });
    const reply = await response.text();
    if (!reply.includes('"result"')) throw new Error(`${body}: ${reply.slice(0, 200)}`);
    bytes += Buffer.byteLength(reply);
  }
  return Math.round(bytes / sample.length);
}
