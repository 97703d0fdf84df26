/** Peers in a thread of their own: the same blocks, and a thread that may end at any time. */
import { join } from "node:path";
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { StoredState } from "../../../src/serve/peers/stored-state.ts";
import { PeersApart } from "../../../src/sources/peers/peers-apart.ts";
import { openToWrite } from "../../conformance/stores.ts";
import { beaconOf, makeIdentity } from "../../p2p/peers.ts";
import { eventually } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { FROM_GENESIS, type ServedPeers, servePeers } from "./served-peers.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function openApart(world: ServedPeers, listening?: { readonly ip: string; readonly port: number }) {
  const directory = scratchDirectory();
  const store = await openToWrite(directory, world.network);
  ends.push(() => store.close());
  const opened = await PeersApart.open({
    identity: makeIdentity(),
    rules: world.rules,
    beacons: world.peers.map(beaconOf),
    listening,
    network: world.network,
    networkFile: world.archive.networkFile,
    directory: join(directory, "peers"),
    executed: new StoredState(store),
    serve: async () => undefined,
    log: pino({ level: "silent" }),
  });
  ends.push(() => opened.peers.close());
  return opened;
}

async function openWorld(): Promise<ServedPeers> {
  const world = await servePeers("eras-1");
  ends.push(() => world.close());
  return world;
}

describe("peers in a thread", () => {
  test("give every block, and are those that are connected", async () => {
    const world = await openWorld();
    const expected = new Map<string, string>();
    for await (const items of world.archive.items(FROM_GENESIS))
      for (const item of items)
        if (item.kind === "block") expected.set(`${item.chainId} ${item.height}`, Buffer.from(item.container).toString("hex"));
    const { peers } = await openApart(world);
    const found = new Map<string, string>();
    for await (const items of peers.items(FROM_GENESIS)) {
      for (const item of items)
        if (item.kind === "block") found.set(`${item.chainId} ${item.height}`, Buffer.from(item.container).toString("hex"));
      if (found.size === expected.size) break;
    }
    expect(found).toEqual(expected);
    await eventually(() => peers.peers.length === world.peers.length);
    const { nodeId } = world.peers[0]!.identity;
    expect(peers.isConnected(nodeId)).toBe(true);
    expect(peers.peers.find((peer) => peer.nodeId === nodeId)?.introduction.version.patch).toBeTypeOf("number");
    expect(peers.send("00".repeat(20), { case: "pong", value: {} })).toBe(false);
    const { tips, upstreams } = peers.status();
    expect(tips.get(PLATFORM_CHAIN_ID)?.height).toBe(world.heights.get(PLATFORM_CHAIN_ID));
    expect(upstreams[0]?.peers?.connected).toBe(world.peers.length);
  });

  test("are stopped while they wait, and read again from another place", async () => {
    const world = await openWorld();
    const { peers } = await openApart(world);
    const from = { ...FROM_GENESIS, heights: world.heights };
    for (let turn = 0; turn < 3; turn++) {
      const stopping = new AbortController();
      const reading = peers.items(from, { signal: stopping.signal }).next();
      await eventually(() => peers.peers.length > 0);
      stopping.abort();
      expect((await reading).done).toBe(true);
    }
    const { value } = await peers.items(FROM_GENESIS).next();
    expect(value!.length).toBeGreaterThan(0);
  });

  test("are met again after their thread has ended", async () => {
    const world = await openWorld();
    const { peers } = await openApart(world);
    const reading = peers.items({ ...FROM_GENESIS, heights: world.heights }).next();
    await eventually(() => peers.peers.length > 0);
    // no such message can be encoded
    peers.send(peers.peers[0]!.nodeId, { case: "ping", value: { uptime: "none" } } as never);
    await expect(reading).rejects.toThrow("the thread that talks to peers has ended: ");
    expect(peers.peers).toEqual([]);
    const { value } = await peers.items(FROM_GENESIS).next();
    expect(value!.length).toBeGreaterThan(0);
  });

  test("say who has the port that they should listen at", async () => {
    const world = await openWorld();
    const { port } = world.peers[0]!;
    await expect(openApart(world, { ip: "127.0.0.1", port })).rejects.toThrow("EADDRINUSE");
    expect((await openApart(world, { ip: "127.0.0.1", port: 0 })).port).toBeGreaterThan(0);
  });
});
