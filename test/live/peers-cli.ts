import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ask, call } from "../devnet/json-rpc.ts";
import { LagMeter, platformAndAsset } from "./lag.ts";
import { LiveFollower } from "./live-follower.ts";
import { LiveTools } from "./live-tools.ts";
import { writeNetworkOf } from "./network-of.ts";
import { type CutKind, Partition } from "./partition.ts";
import { freeStakingPorts, ReferenceNetwork } from "./reference-network.ts";

const { values } = parseArgs({
  options: {
    avalanchego: { type: "string" },
    keys: { type: "string" },
    tools: { type: "string" },
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
    "least-version": { type: "string", default: "1.15.0" },
    requests: { type: "string", default: "20000" },
  },
});
const { avalanchego, keys, tools, minutes, rate, seed } = values;
if (!avalanchego || !keys || !tools) throw new Error("give --avalanchego, --keys and --tools: see test/live/README.md");

/** seconds: validators of the driver, who do not run, must not take the network its majority for long */
const STAKE_SECONDS = 30;
const FAULT_SECONDS = 60;
const BETWEEN_FAULTS_SECONDS = 60;
const BETWEEN_COMPARISONS_SECONDS = 20;
const directory = mkdtempSync(join(tmpdir(), "firn-live-peers-"));
const driveLog = join(directory, "drive.jsonl");
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
const counts = { looks: 0, missing: 0, stalls: 0, told: 0, cuts: 0, alone: 0 };

const live = new LiveTools(tools);

const stakingPorts = await freeStakingPorts();
const partition = await Partition.start(stakingPorts);
const network = await ReferenceNetwork.start({
  binary: avalanchego,
  keys,
  directory,
  flags: [`--min-stake-duration=${STAKE_SECONDS}s`],
  indexed: 0,
  publicAddress: Partition.address,
  stakingPorts,
});
const [first] = network.urls as [string];
log(`five nodes run, the first is ${first}`);
/** of the nodes that run and answer at present */
const awake = new Set(network.urls);
let isDriven = true;
/** meanwhile nothing is compared, and nobody lists it */
let isCutOff = false;
let comparing: Promise<void> = Promise.resolve();
let isEqual = true;

async function listed(nodeId: string): Promise<void> {
  for (const url of awake) {
    const { result } = await call(url, { path: "/ext/info", method: "info.peers", params: {} }).catch(() => ({ result: undefined }));
    if (result === undefined || !awake.has(url) || isCutOff) continue;
    counts.looks++;
    if (!(result as { peers: { nodeID: string }[] }).peers.some((peer) => peer.nodeID === nodeId)) counts.missing++;
  }
}

/** A node is killed and started again, or is silent; three are silent; the follower alone is cut off, in both ways; and so on. */
async function faults(follower: LiveFollower, lag: LagMeter): Promise<void> {
  for (let turn = 0; isDriven; turn++) {
    await pause(BETWEEN_FAULTS_SECONDS * 1000);
    if (!isDriven) return;
    const one = 1 + (turn % 4);
    await [
      () => killed(one),
      () => frozen([one]),
      () => stalled(follower, lag),
      () => cutOff(follower, lag, turn % 8 < 4 ? "dropped" : "refused"),
    ][turn % 4]!();
  }
}

async function killed(place: number): Promise<void> {
  awake.delete(network.urls[place]!);
  log(`node ${place + 1} is killed`);
  await network.nodes[place]!.kill();
  await pause((FAULT_SECONDS * 1000) / 4);
  network.nodes[place]!.restart();
  await pause((FAULT_SECONDS * 1000) / 2);
  awake.add(network.urls[place]!);
}

async function frozen(places: readonly number[], beforeEnd: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  for (const place of places) awake.delete(network.urls[place]!);
  log(`nodes ${places.map((place) => place + 1).join()} are frozen`);
  for (const place of places) network.nodes[place]!.freeze();
  await pause(FAULT_SECONDS * 1000);
  await beforeEnd();
  for (const place of places) network.nodes[place]!.thaw();
  await pause((FAULT_SECONDS * 1000) / 2);
  for (const place of places) awake.add(network.urls[place]!);
}

async function stalled(follower: LiveFollower, lag: LagMeter): Promise<void> {
  lag.pause();
  await frozen([2, 3, 4], async () => {
    counts.stalls++;
    const complaint = await follower.complaint();
    if (complaint !== undefined) counts.told++;
    log(`three are silent: ${complaint?.slice(0, 400) ?? "the follower is healthy"}`);
  });
  lag.resume();
}

/** The network goes on without the follower, which says that it is alone, and has all of it soon after. */
async function cutOff(follower: LiveFollower, lag: LagMeter, kind: CutKind): Promise<void> {
  const height = async (url: string) =>
    BigInt((await ask<{ height: string }>(url, { path: "/ext/bc/P", method: "platform.getHeight", params: {} })).height);
  counts.cuts++;
  lag.pause();
  isCutOff = true;
  await comparing;
  log(`the follower is cut off, packets are ${kind}`);
  partition.cut(follower.pid, kind);
  await pause(FAULT_SECONDS * 1000);
  const [complaint, own, missed] = [await follower.complaint(), await height(follower.url), await height(first)];
  if (complaint !== undefined && own < missed) counts.alone++;
  log(`alone at ${own} of ${missed}: ${complaint?.slice(0, 400) ?? "the follower is healthy"}`);
  partition.heal();
  const startedAt = performance.now();
  while ((await height(follower.url)) < missed) await pause(100);
  log(`it has what it missed ${((performance.now() - startedAt) / 1000).toFixed(1)} s later`);
  await pause((FAULT_SECONDS * 1000) / 2);
  isCutOff = false;
  lag.resume();
}

async function compare(follower: LiveFollower, requests: number, turn: number): Promise<void> {
  const args = ["--a", first, "--b", follower.url, "--log", driveLog, "--seed", `${Number(seed) * 1000 + turn}`, "--no-index"];
  if (!(await live.compare(requests, join(directory, `differences-${turn}.json`), args, log))) isEqual = false;
}

let follower: LiveFollower | undefined;
let lag: LagMeter | undefined;
try {
  const networkFile = await writeNetworkOf(first, directory, BigInt(STAKE_SECONDS));
  const from = [...network.peerFlags, "--least-version", values["least-version"]];
  mkdirSync(join(directory, "follower"));
  const following = await LiveFollower.start({ name: "peers", network: networkFile, from, dataDirectory: join(directory, "follower") });
  follower = following;
  const { result } = await call(following.url, { path: "/ext/info", method: "info.getNodeID", params: {} });
  const { nodeID } = result as { nodeID: string };
  const meter = new LagMeter(platformAndAsset(first, following.url));
  lag = meter;
  const args = ["--rpc", first, "--seed", seed, "--minutes", minutes, "--rate", rate, "--stake-seconds", `${STAKE_SECONDS + 10}`];
  const drive = live.run("drive.mjs", [...args, "--log", driveLog]);
  const driven = drive.ended.then((code) => {
    isDriven = false;
    // it is refused while the network stands still
    log(`the driver ended with ${code}: ${drive.output().trim().split("\n").at(-1)}`);
  });
  await pause(5_000);
  const looking = (async () => {
    for (; isDriven; await pause(10_000)) await Promise.all([listed(nodeID), following.sample()]);
  })();
  const failing = faults(following, meter);
  for (let turn = 1; isDriven; turn++) {
    while (isCutOff) await pause(1000);
    comparing = compare(following, 500, turn);
    await comparing;
    await pause(BETWEEN_COMPARISONS_SECONDS * 1000);
  }
  await Promise.all([driven, looking, failing]);
  meter.end();
  await compare(following, Number(values.requests), 0);
  const complaint = await following.complaint();
  if (complaint !== undefined) isEqual = false;
  log(`lag ${meter}; ${following.growth()}; ${complaint ?? "healthy"}`);
} finally {
  lag?.end();
  await follower?.stop();
  if (follower !== undefined && follower.errors !== "") log(`the follower logged: ${follower.errors.slice(-4000)}`);
  partition.stop();
  await network.stop();
  if (isEqual) rmSync(directory, { recursive: true, force: true });
  else log(`stores, nodes and the driver's log are kept in ${directory}`);
}
log(
  `${live.counts.compared} requests compared, ${live.counts.unknown} differences (and ${live.counts.known} of those that known-differences.ts explains)`,
);
log(
  `${counts.looks} lists of peers were read, ${counts.missing} without the follower; ${counts.told} of ${counts.stalls} times it said that it stands still, ` +
    `${counts.alone} of ${counts.cuts} times that it is alone`,
);
const isTold = counts.told === counts.stalls && counts.alone === counts.cuts;
process.exitCode = isEqual && counts.missing === 0 && isTold ? 0 : 1;
