import pino from "pino";
import { describe, expect, test } from "vitest";
import { parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { LOCAL_ID } from "../../../src/network/presets.ts";
import { cChainGenesisIds, openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { ReplayNode } from "../upstream/replay-node.ts";
import { readReplayedNetwork } from "../upstream/replayed-network.ts";

const latest = readReplayedNetwork(recordingFolder("latest-1"));
const live = readReplayedNetwork(recordingFolder("live-1"));

describe("The C-chain's block 0", () => {
  test.each([
    ["latest-1", latest],
    ["live-1", live],
  ])("is the parent of the recorded block 1: %s", (_, { chains, network }) => {
    const { parentId } = parseCChainBlock(chains.C[1]!.bytes, network.upgrades.times.apricotPhase5);
    expect(cChainGenesisIds({ ...network, networkId: LOCAL_ID })!.has(parentId)).toBe(true);
  });

  test("is not known of a network of one's own", () => {
    expect(cChainGenesisIds({ ...latest.network, networkId: 4242 })).toBeUndefined();
  });

  test.each([
    // a signature is for one chain only
    [true, /^C-chain: container 1 cannot be: its signature is not that of its certificate$/],
    [false, /^C-chain: its block 1 has the parent \w+; block 0 is \w+ or \w+$/],
  ])("of another network is refused by name, and its block 1 is not given (index: %s)", async (hasIndex, sentence) => {
    const foreign = { ...live, chains: { ...live.chains, C: latest.chains.C } };
    const node = await ReplayNode.start({ recording: foreign, released: { C: 3n } });
    node.hasIndex = hasIndex;
    const log = pino({ level: "silent" });
    const source = openNodeSource({ network: live.network, networkFile: Buffer.from("{}"), upstreams: [node.url], log });
    const ending = new AbortController();
    const given: unknown[] = [];
    const reading = (async () => {
      const nothing = { heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n };
      for await (const run of source.items(nothing, { signal: ending.signal })) given.push(...run);
    })();
    try {
      const reason = () => source.status().upstreams[0]!.reason;
      await expect.poll(reason).toMatch(sentence);
      expect(given).toEqual([]);
    } finally {
      ending.abort();
      await reading;
      await source.close();
      await node.stop();
    }
  });
});
