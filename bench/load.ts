/** Load on one HTTP endpoint with `wrk` (one thread, 32 connections), and what came of it. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

const UNIT_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

export function requireWrk(): void {
  if (spawnSync("wrk", ["--version"]).error === undefined) return;
  console.error("bench needs the load generator wrk on PATH (Debian: apt-get install wrk; macOS: brew install wrk)");
  process.exit(2);
}

/** Posts `body` for `seconds`; asynchronous, so that a server in this process could answer. */
export async function load(url: string, body: string, seconds: number): Promise<LoadResult> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-bench-"));
  const script = join(scratch, "post.lua");
  const luaBody = `"${body.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
  writeFileSync(script, `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = ${luaBody}\n`);
  const output = await run("wrk", ["-t1", "-c32", `-d${seconds}s`, "--latency", "-s", script, url]).finally(() =>
    rmSync(scratch, { recursive: true }),
  );
  if (/Non-2xx/.test(output)) throw new Error(`${url} answered with errors under load:\n${output}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50Ms: latency(output, "50%"),
    p99Ms: latency(output, "99%"),
  };
}

function latency(output: string, quantile: string): number {
  const match = new RegExp(`${quantile}\\s+([\\d.]+)(us|ms|s|m)`).exec(output);
  return match === null ? Number.NaN : Number(match[1]) * UNIT_MS[match[2]!]!;
}

export function run(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`${command} ${args.join(" ")} exited with ${code}`))));
  });
}
