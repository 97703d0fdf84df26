import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EvmRun } from "./evm-run.ts";
import { HELICON_VARIABLE, requireHelicon } from "./helicon.ts";
import { LagMeter, platformAndAsset } from "./lag.ts";
import { LiveFollower } from "./live-follower.ts";
import { LiveTools } from "./live-tools.ts";
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
    /** minutes from the start of the nodes: a binary that takes Helicon's time from the environment */
    "helicon-in": { type: "string" },
    /** transactions a second */
    rate: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
    /** of the nodes, which the follower of peers takes */
    "least-version": { type: "string", default: "1.15.0" },
    /** compared in all at the end */
    requests: { type: "string", default: "20000" },
    /** of the EVM's oracle, beside those about each block and transaction */
    "evm-requests": { type: "string", default: "20000" },
    /** seconds; shorter ones than the network's rules allow need nodes that were started so */
    "min-stake-duration": { type: "string" },
  },
});
const { avalanchego, keys, tools } = values;
if (!avalanchego || !keys || !tools) throw new Error("give --avalanchego, --keys and --tools: see test/live/README.md");

const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const shortStaking = values["min-stake-duration"];
const heliconIn = values["helicon-in"] === undefined ? undefined : Number(values["helicon-in"]);
const directory = mkdtempSync(join(tmpdir(), "firn-live-"));
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
/** It can tell headers from none: what only a header tells is left out where a follower reads bare blocks. */
const BARE = ["--no-index", "--skip", "proposervm"];
/** A driver looks once whether Helicon is active: another one, which was given money before, goes on after it. */
const drives = (heliconIn === undefined ? [minutes] : [Math.min(minutes, heliconIn), minutes - heliconIn])
  .filter((length) => length > 0)
  .map((length, index) => ({
    length,
    seed: `${seed}${index === 0 ? "" : `-${index + 1}`}`,
    log: join(directory, `drive-${index + 1}.jsonl`),
  }));

const live = new LiveTools(tools);

function compare(node: string, { name, url }: LiveFollower, requests: number, turn: number, more: readonly string[]): Promise<boolean> {
  const logs = drives.map(({ log }) => log).filter((file) => existsSync(file));
  const args = ["--a", node, "--b", url, "--log", logs.join(","), "--seed", `${seed * 1000 + turn}`, ...more];
  return live.compare(requests, join(directory, `differences-${name}-${turn}.json`), args, (line) => log(`${name}: ${line}`));
}

/** The contracts that drivers made: tokens without a name. */
function drivenCoins(): string[] {
  const lines = drives.flatMap(({ log }) => (existsSync(log) ? readFileSync(log, "utf8").split("\n") : []));
  const entries = lines.filter((line) => line.includes('"kind":"contract"')).map((line) => JSON.parse(line) as { id: string });
  return entries.map(({ id }) => id);
}

const heliconAt = heliconIn === undefined ? undefined : Math.floor(Date.now() / 1000 + heliconIn * 60);
const network = await ReferenceNetwork.start({
  binary: avalanchego,
  keys,
  directory,
  flags: shortStaking === undefined ? [] : [`--min-stake-duration=${shortStaking}s`],
  environment: heliconAt === undefined ? {} : { [HELICON_VARIABLE]: `${heliconAt}` },
});
log(`five nodes run, the first is ${network.urls[0]}`);
const [first, second, third, fourth, fifth] = network.urls as [string, string, string, string, string];
let isEqual = true;
let isStopping = false;
void network.ended.then((sentence) => {
  if (isStopping) return;
  isEqual = false;
  log(sentence);
});
const folder = (name: string) => {
  mkdirSync(join(directory, name));
  return join(directory, name);
};
const followers: { follower: LiveFollower; more: readonly string[]; lag: LagMeter }[] = [];
async function follow(networkName: string, name: string, upstreams: readonly string[], more: readonly string[]): Promise<LiveFollower> {
  return followFrom(["--upstream", upstreams.join()], networkName, name, upstreams[0]!, more);
}
/** @param node with which it is compared */
async function followFrom(
  from: readonly string[],
  networkName: string,
  name: string,
  node: string,
  more: readonly string[],
): Promise<LiveFollower> {
  const follower = await LiveFollower.start({ name, network: networkName, from, dataDirectory: folder(name) });
  followers.push({ follower, more, lag: new LagMeter(platformAndAsset(node, follower.url)) });
  log(`${name} follows`);
  return follower;
}

let evm: EvmRun | undefined;
try {
  if (heliconAt !== undefined) await requireHelicon(first, heliconAt);
  const networkName = shortStaking === undefined ? "local" : await writeNetworkOf(first, directory, BigInt(shortStaking));
  await follow(networkName, "index", [second, third], []);
  await followFrom([...network.peerFlags, "--least-version", values["least-version"]], networkName, "peers", first, []);
  await follow(networkName, "height", [fourth, fifth], BARE);
  // two that have headers: what a node without index gave while the other one was late, has none
  const killed = await follow(networkName, "killed", [third, second], []);
  evm = await EvmRun.start({ node: network.archive, directory: folder("evm"), seed, minutes, log });
  log("evm follows");
  const stakes = shortStaking === undefined ? [] : ["--stake-seconds", `${Number(shortStaking) + 10}`];
  let isDriven = true;
  const drive = async ({ seed, log: file }: (typeof drives)[number], length: number) => {
    const args = ["--rpc", first, "--seed", seed, "--minutes", `${length}`, "--rate", values.rate];
    const { ended, output } = live.run("drive.mjs", [...args, "--log", file, ...stakes]);
    if ((await ended) !== 0) isEqual = false;
    log(output().trim());
  };
  for (const later of drives.slice(1)) await drive(later, 0);
  const driven = (async () => {
    for (const each of drives) await drive(each, each.length);
    isDriven = false;
  })();
  while (!existsSync(drives[0]!.log) && isDriven) await new Promise((resolve) => setTimeout(resolve, 100));
  const working = evm.work(() => isDriven);
  const lateAt = performance.now() + (minutes * 60_000) / 3;
  const killing = (async () => {
    while (isDriven) {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      if (isDriven) await killed.killAndRestart();
      await Promise.all(followers.map(({ follower }) => follower.sample()));
      if (followers.length === 4 && performance.now() > lateAt) await follow(networkName, "late", [second, first], []);
    }
  })();
  for (let turn = 1; isDriven; turn++) {
    const { follower, more } = followers[turn % followers.length]!;
    // one that is killed does not answer all the time
    if (follower === killed) await new Promise((resolve) => setTimeout(resolve, 1000));
    else isEqual = (await compare(first, follower, 500, turn, more)) && isEqual;
  }
  await Promise.all([killing, driven, working]);
  for (const [index, { follower, more, lag }] of followers.entries()) {
    lag.end();
    isEqual = (await compare(first, follower, Math.ceil(Number(values.requests) / followers.length), index, more)) && isEqual;
    const complaint = await follower.complaint();
    log(`${follower.name}: lag ${lag}; ${follower.growth()}; ${complaint ?? "healthy"}`);
    if (complaint !== undefined) isEqual = false;
  }
  isEqual = (await evm.verdict(Number(values["evm-requests"]), drivenCoins())) && isEqual;
} finally {
  isStopping = true;
  for (const { follower, lag } of followers) {
    lag.end();
    await follower.stop();
    if (follower.errors !== "") log(`${follower.name} logged: ${follower.errors.slice(-4000)}`);
  }
  await evm?.stop();
  await network.stop();
  if (isEqual) rmSync(directory, { recursive: true, force: true });
  else log(`stores, nodes and logs of the drivers are kept in ${directory}`);
}
log(
  `${live.counts.compared} requests compared, ${live.counts.unknown} differences (and ${live.counts.known} of those that test/live/known-differences.ts explains)`,
);
process.exitCode = isEqual ? 0 : 1;
