/**
 * `npm run bench:devnet-start`: measures the time from starting the process of `firn devnet` to the first answer of each interface, in a
 * temporary folder and, after a kill, in one that is kept (median of 7). With `-- --clone` it first runs `npm start` in a fresh clone of
 * the last commit, with an empty home directory, and times installation and build separately.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const RUNS = 7;
const AIM_MS = 3000;
const { values } = parseArgs({ options: { clone: { type: "boolean", default: false } } });
const scratch = mkdtempSync(join(tmpdir(), "firn-bench-"));
const ownRoot = fileURLToPath(new URL("..", import.meta.url));
const root = values.clone ? join(scratch, "clone") : ownRoot;
const home = join(scratch, "home");
const environment = values.clone ? cleanEnvironment() : process.env;

/** An environment without variables of npm or the user. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return { ...Object.fromEntries(kept), HOME: home };
}

interface Answered {
  readonly platformMs: number;
  readonly dataMs: number;
  readonly evmMs: number;
}

async function start(program: string, args: readonly string[], signal: NodeJS.Signals): Promise<Answered> {
  const startedAt = performance.now();
  const devnet = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], env: environment, detached: true });
  const url = await readyUrl(devnet);
  const answered = async (path: string, method?: string) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    const response = await fetch(`${url}${path}`, method === undefined ? {} : { method: "POST", headers, body });
    const text = await response.text();
    if (!response.ok || text.includes('"error"')) throw new Error(`${path} answered ${response.status} ${text}`);
    return performance.now() - startedAt;
  };
  const platformMs = await answered("/ext/bc/P", "platform.getHeight");
  const dataMs = await answered("/v1/networks/fuji/blockchains/p-chain/blocks");
  const evmMs = await answered("/ext/bc/C/rpc", "eth_blockNumber");
  const exited = once(devnet, "exit");
  process.kill(-devnet.pid!, signal);
  await exited;
  return { platformMs, dataMs, evmMs };
}

async function readyUrl(devnet: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of devnet.stdout!) {
    text += chunk;
    const match = /"event":"ready","url":"([^"]+)"/.exec(text);
    if (match) return match[1]!;
  }
  throw new Error(`the devnet ended without being ready: ${text}`);
}

function median(numbers: readonly number[]): number {
  return Math.round([...numbers].sort((a, b) => a - b)[numbers.length >> 1]!);
}

async function row(name: string, dataDir: string | undefined, signal: NodeJS.Signals): Promise<void> {
  const args = ["bin/firn", "devnet", "--http-port", "0", "--json", ...(dataDir === undefined ? [] : ["--data-dir", dataDir])];
  const runs: Answered[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await start(process.execPath, args, signal));
  const first = median(runs.map(({ platformMs }) => platformMs));
  const others = [runs.map(({ dataMs }) => dataMs), runs.map(({ evmMs }) => evmMs)].map(median);
  console.log(`| ${[name, first, ...others, (first / AIM_MS).toFixed(2)].join(" | ")} |`);
}

try {
  mkdirSync(home);
  if (values.clone) {
    spawnSync("git", ["clone", "--quiet", ownRoot, root], { stdio: "inherit" });
    const { dataMs } = await start("npm", ["start", "--silent", "--", "--http-port", "0", "--json"], "SIGINT");
    console.log(
      `npm start in a fresh clone answered both interfaces ${Math.round(dataMs)} ms after it was typed, installation and build included\n`,
    );
  } else spawnSync(process.execPath, [join(root, "bin", "firn"), "--version"]);
  console.log(`| start | P-chain answers, ms | Data API, ms | C-chain, ms | P-chain ÷ ${AIM_MS} ms |`);
  console.log("|---|---:|---:|---:|---:|");
  await row("in a temporary folder", undefined, "SIGINT");
  await row("again after kill -9", join(scratch, "network"), "SIGKILL");
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
