/** Puts load on one HTTP server with `wrk` (one thread, by default 32 connections) and returns the results. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A GET, or a POST if there is a JSON body. */
export interface LoadRequest {
  readonly path: string;
  readonly body?: string | undefined;
}

export const CONNECTIONS = 32;
const UNIT_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

export function requireWrk(): void {
  if (spawnSync("wrk", ["--version"]).error === undefined) return;
  console.error("bench needs the load generator wrk on PATH (Debian: apt-get install wrk; macOS: brew install wrk)");
  process.exit(2);
}

/** Posts `body` for `seconds`. Asynchronous, so that a server in this process can answer. */
export async function load(url: string, body: string, seconds: number): Promise<LoadResult> {
  const { origin, pathname, search } = new URL(url);
  return loadInTurn(origin, [{ path: `${pathname}${search}`, body }], seconds);
}

/**
 * Sends the requests in turn, repeatedly.
 * @param isEachNew makes every URL unique with a parameter that servers ignore, so that cached answers are not used
 */
export async function loadInTurn(
  origin: string,
  requests: readonly LoadRequest[],
  seconds: number,
  { isEachNew = false, connections = CONNECTIONS }: { isEachNew?: boolean; connections?: number } = {},
): Promise<LoadResult> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-bench-"));
  const script = join(scratch, "requests.lua");
  writeFileSync(script, isEachNew ? luaScriptOfNew(requests) : luaScript(requests));
  const output = await run("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, origin]).finally(() =>
    rmSync(scratch, { recursive: true }),
  );
  if (/Non-2xx/.test(output)) throw new Error(`${requests[0]!.path} was answered with errors under load:\n${output}`);
  return {
    requests: Number(/(\d+) requests in/.exec(output)?.[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50Ms: latency(output, "50%"),
    p99Ms: latency(output, "99%"),
  };
}

/** Builds all requests before the first one is sent. */
function luaScript(requests: readonly LoadRequest[]): string {
  const formats = requests.map(({ path, body }) =>
    body === undefined
      ? `wrk.format("GET", ${luaText(path)})`
      : `wrk.format("POST", ${luaText(path)}, { ["Content-Type"] = "application/json" }, ${luaText(body)})`,
  );
  return `local requests = {}
local at = 0
init = function()
${formats.map((format, i) => `  requests[${i + 1}] = ${format}`).join("\n")}
end
request = function()
  at = at % #requests + 1
  return requests[at]
end
`;
}

function luaScriptOfNew(requests: readonly LoadRequest[]): string {
  const rows = requests.map(({ path, body }) => {
    const start = luaText(`${path}${path.includes("?") ? "&" : "?"}n=`);
    return body === undefined ? `{ "GET", ${start} }` : `{ "POST", ${start}, ${luaText(body)} }`;
  });
  return `local requests = { ${rows.join(", ")} }
local at = 0
request = function()
  at = at + 1
  local next = requests[at % #requests + 1]
  local headers = next[3] and { ["Content-Type"] = "application/json" } or nil
  return wrk.format(next[1], next[2] .. at, headers, next[3])
end
`;
}

function luaText(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
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
