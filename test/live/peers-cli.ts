import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { call } from "../devnet/json-rpc.ts";
import { LagMeter, platformAndAsset } from "./lag.ts";
import { LiveFollower } from "./live-follower.ts";
import { LiveTools } from "./live-tools.ts";
import { writeNetworkOf } from "./network-of.ts";
import { ReferenceNetwork } from "./reference-network.ts";

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
const counts = { looks: 0, missing: 0, stalls: 0, told: 0 };

const live = new LiveTools(tools);

const network = await ReferenceNetwork.start({
  binary: avalanchego,
  keys,
  directory,
  flags: [`--min-stake-duration=${STAKE_SECONDS}s`],
  indexed: 0,
});
const [first] = network.urls as [string];
log(`five nodes run, the first is ${first}`);
/** of the nodes that run and answer at present */
const awake = new Set(network.urls);
let isDriven = true;
let isEqual = true;

async function listed(nodeId: string): Promise<void> {
  for (const url of awake) {
    const { result } = await call(url, { path: "/ext/info", method: "info.peers", params: {} }).catch(() => ({ result: undefined }));
    if (result === undefined || !awake.has(url)) continue;
    counts.looks++;
    if (!(result as { peers: { nodeID: string }[] }).peers.some((peer) => peer.nodeID === nodeId)) counts.missing++;
  }
}

async function faults(follower: LiveFollower, lag: LagMeter): Promise<void> {
  for (let turn = 0; isDriven; turn++) {
    await pause(BETWEEN_FAULTS_SECONDS * 1000);
    if (!isDriven) return;
    const count = turn % 3 === 2 ? 3 : 1;
    const chosen = [2, 3, 4].slice(0, count).map((place) => (count === 1 ? 1 + (turn % 4) : place));
    for (const place of chosen) awake.delete(network.urls[place]!);
    if (turn % 3 === 0) {
      log(`node ${chosen[0]! + 1} is killed`);
      await network.nodes[chosen[0]!]!.kill();
      await pause((FAULT_SECONDS * 1000) / 4);
      network.nodes[chosen[0]!]!.restart();
    } else {
      log(`nodes ${chosen.map((place) => place + 1).join()} are frozen`);
      for (const place of chosen) network.nodes[place]!.freeze();
      if (count > 1) lag.pause();
      await pause(FAULT_SECONDS * 1000);
      if (count > 1) {
        counts.stalls++;
        const complaint = await follower.complaint();
        if (complaint !== undefined) counts.told++;
        log(`three are silent: ${complaint?.slice(0, 400) ?? "the follower is healthy"}`);
      }
      for (const place of chosen) network.nodes[place]!.thaw();
    }
    await pause((FAULT_SECONDS * 1000) / 2);
    if (count > 1) lag.resume();
    for (const place of chosen) awake.add(network.urls[place]!);
  }
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
    await compare(following, 500, turn);
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
  await network.stop();
  if (isEqual) rmSync(directory, { recursive: true, force: true });
  else log(`stores, nodes and the driver's log are kept in ${directory}`);
}
log(
  `${live.counts.compared} requests compared, ${live.counts.unknown} differences (and ${live.counts.known} of those that known-differences.ts explains)`,
);
log(
  `${counts.looks} lists of peers were read, ${counts.missing} without the follower; ${counts.told} of ${counts.stalls} times it said that it stands still`,
);
process.exitCode = isEqual && counts.missing === 0 && counts.told === counts.stalls ? 0 : 1;
