/**
 * `npm run live -- --avalanchego <binary> --keys <staking/local> --tools <folder> [--minutes 60]`: five nodes of the reference implementation
 * are driven at random and followed: by the Index API, by height, by a follower that starts late, and by one that is killed every minute.
 * Each follower is asked the same as a node, while the network runs and at its end. Ends with 1 if any answer differs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Difference, isKnown } from "./known-differences.ts";
import { LagMeter } from "./lag.ts";
import { LiveFollower } from "./live-follower.ts";
import { writeNetworkOf } from "./network-of.ts";
import { ReferenceNetwork } from "./reference-network.ts";

const { values } = parseArgs({
  options: {
    avalanchego: { type: "string" },
    /** the folder `staking/local` of its source */
    keys: { type: "string" },
    /** has drive.mjs and compare.mjs */
    tools: { type: "string" },
    minutes: { type: "string", default: "60" },
    /** transactions a second */
    rate: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
    /** compared in all at the end */
    requests: { type: "string", default: "20000" },
    /** seconds; shorter ones than the network's rules allow need nodes that were started so */
    "min-stake-duration": { type: "string" },
  },
});
const { avalanchego, keys, tools } = values;
if (!avalanchego || !keys || !tools) throw new Error("give --avalanchego, --keys and --tools: see the head of test/live/cli.ts");

const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const shortStaking = values["min-stake-duration"];
const directory = mkdtempSync(join(tmpdir(), "firn-live-"));
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
/** It can tell headers from none: what only a header tells is left out where a follower reads bare blocks. */
const BARE = ["--no-index", "--skip", "proposervm"];
const driveLog = join(directory, "drive.jsonl");

function tool(name: string, args: readonly string[]): { ended: Promise<number>; output: () => string } {
  const env = { ...process.env, FIRN_MODULES: fileURLToPath(new URL("../../node_modules", import.meta.url)) };
  const child = spawn(process.execPath, [join(tools!, name), ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  return { ended: once(child, "close").then(([code]) => code as number), output: () => output };
}

async function compare(
  node: string,
  { name, url }: LiveFollower,
  requests: number,
  turn: number,
  more: readonly string[],
): Promise<boolean> {
  const out = join(directory, `differences-${name}-${turn}.json`);
  const args = [
    "--a",
    node,
    "--b",
    url,
    "--log",
    driveLog,
    "--requests",
    `${requests}`,
    "--seed",
    `${seed * 1000 + turn}`,
    "--out",
    out,
    ...more,
  ];
  const { ended, output } = tool("compare.mjs", [...args, "--parallel", "3", "--no-c"]);
  await ended;
  log(`${name}: ${output().trim().split("\n").at(-1)}`);
  const differences: readonly Difference[] = existsSync(out) ? JSON.parse(readFileSync(out, "utf8")) : [];
  const unknown = differences.filter((difference) => !isKnown(difference));
  for (const difference of unknown) log(`${name}: ${JSON.stringify(difference).slice(0, 2000)}`);
  counts.compared += requests;
  counts.known += differences.length - unknown.length;
  counts.unknown += unknown.length;
  return existsSync(out) && unknown.length === 0;
}

const network = await ReferenceNetwork.start({
  binary: avalanchego,
  keys,
  directory,
  flags: shortStaking === undefined ? [] : [`--min-stake-duration=${shortStaking}s`],
});
log(`five nodes run, the first is ${network.urls[0]}`);
const [first, second, third, fourth, fifth] = network.urls as [string, string, string, string, string];
const folder = (name: string) => {
  mkdirSync(join(directory, name));
  return join(directory, name);
};
const networkName = shortStaking === undefined ? "local" : await writeNetworkOf(first, directory, BigInt(shortStaking));
const counts = { compared: 0, known: 0, unknown: 0 };
let isEqual = true;
const followers: { follower: LiveFollower; more: readonly string[]; lag: LagMeter }[] = [];
async function follow(name: string, upstreams: readonly string[], more: readonly string[]): Promise<LiveFollower> {
  const follower = await LiveFollower.start({ name, network: networkName, upstreams, dataDirectory: folder(name) });
  followers.push({ follower, more, lag: new LagMeter(upstreams[0]!, follower.url) });
  log(`${name} follows`);
  return follower;
}

try {
  await follow("index", [second, third], []);
  await follow("height", [fourth, fifth], BARE);
  const killed = await follow("killed", [third, fourth], []);
  const stakes = shortStaking === undefined ? [] : ["--stake-seconds", `${Number(shortStaking) + 10}`];
  const drive = ["--rpc", first, "--seed", `${seed}`, "--minutes", `${minutes}`, "--rate", values.rate, "--log", driveLog, ...stakes];
  const driver = tool("drive.mjs", drive);
  let isDriven = true;
  void driver.ended.then(() => {
    isDriven = false;
  });
  while (!existsSync(driveLog) && isDriven) await new Promise((resolve) => setTimeout(resolve, 100));
  const lateAt = performance.now() + (minutes * 60_000) / 3;
  const killing = (async () => {
    while (isDriven) {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      if (isDriven) await killed.killAndRestart();
      await Promise.all(followers.map(({ follower }) => follower.sample()));
      if (followers.length === 3 && performance.now() > lateAt) await follow("late", [second, first], []);
    }
  })();
  for (let turn = 1; isDriven; turn++) {
    const { follower, more } = followers[turn % followers.length]!;
    // one that is killed does not answer all the time
    if (follower === killed) await new Promise((resolve) => setTimeout(resolve, 1000));
    else isEqual = (await compare(first, follower, 500, turn, more)) && isEqual;
  }
  await killing;
  log(driver.output().trim());
  isEqual = (await driver.ended) === 0 && isEqual;
  for (const [index, { follower, more, lag }] of followers.entries()) {
    lag.end();
    isEqual = (await compare(first, follower, Math.ceil(Number(values.requests) / followers.length), index, more)) && isEqual;
    const complaint = await follower.complaint();
    log(`${follower.name}: lag ${lag}; ${follower.growth()}; ${complaint ?? "healthy"}`);
    if (complaint !== undefined) isEqual = false;
  }
} finally {
  for (const { follower, lag } of followers) {
    lag.end();
    await follower.stop();
    if (follower.errors !== "") log(`${follower.name} logged: ${follower.errors.slice(-4000)}`);
  }
  await network.stop();
  if (isEqual) rmSync(directory, { recursive: true, force: true });
  else log(`stores, nodes and ${driveLog} are kept in ${directory}`);
}
log(
  `${counts.compared} requests compared, ${counts.unknown} differences (and ${counts.known} of those that test/live/known-differences.ts explains)`,
);
process.exitCode = isEqual ? 0 : 1;
