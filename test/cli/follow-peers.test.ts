/** `firn follow` without a node: from peers of this process, and a second one from the first. */
import { expect, test } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { call } from "../devnet/json-rpc.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { eventually } from "../patience.ts";
import { chainRows, servePeers } from "../sources/peers/served-peers.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

async function follow(flags: readonly string[], directory: string): Promise<{ firn: FirnProcess; url: string }> {
  const firn = new FirnProcess(["follow", ...flags, "--data-dir", directory, "--http-port", "0", "--workers", "1", "--level", "replay"]);
  const [, url] = await firn.printed(/^serving (\S+)/m);
  return { firn, url: url! };
}

async function ask<T>(url: string, path: string, method: string): Promise<T> {
  return (await call(url, { path, method, params: {} })).result as T;
}

test("a network is followed from its peers, and by others from this follower", async () => {
  const world = await servePeers("eras-1");
  try {
    const heights = [world.heights.get(PLATFORM_CHAIN_ID), world.heights.get(world.network.xChainId)].map(String);
    const heightsAt = async (url: string) => [
      (await ask<{ height: string }>(url, "/ext/bc/P", "platform.getHeight")).height,
      (await ask<{ height: string }>(url, "/ext/bc/X", "avm.getHeight")).height,
    ];
    const areThere = async (url: string) => (await heightsAt(url)).join() === heights.join();
    const [own, other] = [scratchDirectory(), scratchDirectory()];
    const address = `127.0.0.1:${await freePort()}`;
    const first = await follow([...world.flags, "--serve-peers", address], own);
    await eventually(() => areThere(first.url));

    const { peers } = await ask<{ peers: { nodeID: string; version: string }[] }>(first.url, "/ext/info", "info.peers");
    expect(peers.map(({ nodeID }) => nodeID).sort()).toEqual(world.flags[3]!.split(",").sort());
    expect(await ask(first.url, "/ext/info", "info.getNodeIP")).toEqual({ ip: address });
    const metrics = async () => (await fetch(`${first.url}/ext/metrics`)).text();
    await eventually(async () => (await metrics()).includes("firn_connected_peers 3\n"));
    // it is written a second after a change at the latest
    await eventually(() => /^ {2}3 peers.*; P \d+, X \d+, C \d+$/m.test(run(["status", "--data-dir", own]).output));

    const { nodeID } = await ask<{ nodeID: string }>(first.url, "/ext/info", "info.getNodeID");
    const [flag, network] = world.flags;
    const second = await follow([flag!, network!, "--bootstrap-ids", nodeID, "--bootstrap-ips", address], other);
    await eventually(() => areThere(second.url));
    await eventually(async () => (await metrics()).includes("firn_connected_peers 4\n"));
    await second.firn.end();
    await first.firn.end();
    const expected = chainRows(await storeRows(world.directory));
    for (const directory of [own, other]) expect(firstDifference(chainRows(await storeRows(directory)), expected)).toBeUndefined();
  } finally {
    await world.close();
  }
});

test("why nobody can be met is told in the terminal, in health and by status", async () => {
  const nobody = "NodeID-A6onFGyJjA37EZ7kYHANMR1PFRT8NmXrF";
  const directory = scratchDirectory();
  const { firn, url } = await follow(["--network", "local", "--bootstrap-ids", nobody, "--bootstrap-ips", "127.0.0.1:1"], directory);
  const sentence = `the majority of the 1 bootstrappers has to say which block is accepted; 0 are connected. ${nobody} is not: 127.0.0.1:1 cannot be reached: connect ECONNREFUSED`;
  await eventually(async () => (await (await fetch(`${url}/ext/health`)).text()).includes(sentence));
  expect(firn.error).toContain(sentence);
  expect(run(["status", "--data-dir", directory]).output).toContain(sentence);
  await firn.end();
});

test.each([
  [["--serve-peers", "9651"], "--serve-peers has 9651; use IP addresses with ports"],
  [["--bootstrap-ids", "NodeID-x", "--bootstrap-ips", "127.0.0.1:1"], "--bootstrap-ids has NodeID-x; use node IDs such as"],
  [["--least-version", "new"], "--least-version is new; use three numbers"],
])("what is wrong with %j is said in a line, before a store is made", (flags, sentence) => {
  const directory = scratchDirectory();
  const known = ["--bootstrap-ids", "NodeID-A6onFGyJjA37EZ7kYHANMR1PFRT8NmXrF", "--bootstrap-ips", "127.0.0.1:1"];
  const args = flags.includes("--bootstrap-ids") ? flags : [...known, ...flags];
  const { exitCode, error } = run(["follow", "--network", "local", ...args, "--data-dir", directory]);
  expect(exitCode).not.toBe(0);
  expect(error).toContain(sentence);
});
