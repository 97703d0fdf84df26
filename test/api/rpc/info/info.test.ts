import { describe, expect, test } from "vitest";
import { infoMethods } from "../../../../src/api/rpc/info/methods.ts";
import type { RpcContext } from "../../../../src/api/rpc/method.ts";
import type { Peer } from "../../../../src/api/state/node-facts.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { mainnet } from "../../../../src/network/presets.ts";

const xChainId = "0a".repeat(32);
const otherChainId = "0c".repeat(32);

interface Parts {
  readonly peers?: readonly Peer[];
  readonly isValidator?: boolean;
  /** what the followed node answers to any method */
  readonly told?: unknown;
}

function context(parts: Parts = {}): RpcContext {
  return {
    network: { ...mainnet, xChainId, cChainId: "0b".repeat(32) },
    node: { nodeId: "01".repeat(20), blsPublicKey: "02".repeat(48), proofOfPossession: "03".repeat(96) },
    isFollower: "told" in parts,
    beyondState: () => ({
      facts: { peerSource: { peers: () => parts.peers ?? [] }, publicIp: "10.0.0.5:9651" },
      ...("told" in parts && { live: { fact: async () => ({ from: "node 1", result: parts.told }) } }),
    }),
    reader: {
      get: async () => (parts.isValidator ? {} : undefined),
      scan: async () => [{ key: { chain: 1 }, value: { chainId: otherChainId, fxIds: [] } }],
    },
    cached: (_: string, make: () => Promise<unknown>) => make(),
  } as unknown as RpcContext;
}

async function call(name: string, params: object = {}, parts: Parameters<typeof context>[0] = {}): Promise<Record<string, unknown>> {
  const method = infoMethods.find((candidate) => candidate.name === name)!;
  return (await method.handler(params, context(parts))) as Record<string, unknown>;
}

function peer(nodeId: string, more: Partial<Peer> = {}): Peer {
  return {
    ip: "1.2.3.4:9651",
    publicIp: "1.2.3.4:9651",
    nodeId,
    version: "avalanchego/1.15.3",
    upgradeTime: 1_763_568_000n,
    lastSent: new Date("2026-05-23T15:23:02.999Z"),
    lastReceived: new Date("2026-05-23T15:22:57Z"),
    observedUptime: 99,
    trackedSubnets: [],
    supportedAcps: [],
    objectedAcps: [],
    benched: [],
    ...more,
  };
}

describe("info.peers", () => {
  const [a, b, absent] = ["0a", "0b", "0c"].map((byte) => byte.repeat(20)) as [string, string, string];

  test("describes a peer in the node's form", async () => {
    const connected = [peer(a, { trackedSubnets: ["ff".repeat(32)], supportedAcps: [103, 23], benched: [xChainId] })];
    expect(await call("info.peers", { nodeIDs: [] }, { peers: connected })).toEqual({
      numPeers: "1",
      peers: [
        {
          ip: "1.2.3.4:9651",
          publicIP: "1.2.3.4:9651",
          nodeID: formatNodeId(a),
          version: "avalanchego/1.15.3",
          upgradeTime: 1_763_568_000n,
          lastSent: "2026-05-23T15:23:02Z",
          lastReceived: "2026-05-23T15:22:57Z",
          observedUptime: "99",
          trackedSubnets: ["11111111111111111111111111111111LpoYY", formatId("ff".repeat(32))],
          supportedACPs: [23, 103],
          objectedACPs: [],
          benched: ["X"],
        },
      ],
    });
  });

  test("keeps to the IDs asked for, in their order, and leaves out those that are not connected", async () => {
    const { numPeers, peers } = await call("info.peers", { nodeIDs: [b, absent, a, b] }, { peers: [peer(a), peer(b)] });
    expect(numPeers).toBe("3");
    expect((peers as { nodeID: string }[]).map(({ nodeID }) => nodeID)).toEqual([b, a, b].map(formatNodeId));
  });

  test("is an empty list without peers", async () => {
    expect(await call("info.peers", { nodeIDs: [] })).toEqual({ numPeers: "0", peers: [] });
  });
});

describe("chains", () => {
  test("are known by alias, and by ID if the store executes them", async () => {
    expect(await call("info.getBlockchainID", { alias: "avm" })).toEqual({ blockchainID: formatId(xChainId) });
    expect(await call("info.getBlockchainID", { alias: formatId(otherChainId) })).toEqual({ blockchainID: formatId(otherChainId) });
    await expect(call("info.getBlockchainID", { alias: "x" })).rejects.toThrow("there is no ID with alias: x");
    expect(await call("info.isBootstrapped", { chain: "P" })).toEqual({ isBootstrapped: true });
    await expect(call("info.isBootstrapped", { chain: "" })).rejects.toThrow("argument 'chain' not given");
    await expect(call("info.isBootstrapped", { chain: "Q" })).rejects.toThrow("there is no chain with alias/ID 'Q'");
  });
});

describe("info.uptime", () => {
  test("says why there is none", async () => {
    await expect(call("info.uptime")).rejects.toThrow("couldn't get node uptime: node is not a validator");
    await expect(call("info.uptime", {}, { isValidator: true })).rejects.toThrow(
      "couldn't get node uptime: this node's source does not measure uptime",
    );
  });
});

describe("facts of the network and the node", () => {
  test("mainnet's upgrades are all told", async () => {
    const upgrades = await call("info.upgrades");
    expect(Object.keys(upgrades)).toHaveLength(18);
    expect(upgrades).toMatchObject({
      apricotPhase4MinPChainHeight: 793005n,
      cortinaTime: "2023-04-25T15:00:00Z",
      heliconTime: "2026-09-22T15:00:00Z",
    });
  });

  test("a follower tells the upgrades that its node names and Firn does not know yet, and nothing else of it", async () => {
    const igloo = { iglooTime: "9999-12-01T00:00:00Z" };
    const told = { heliconTime: "1999-01-01T00:00:00Z", ...igloo, jokeTime: "soon", __proto__Time: 5, other: "2027-01-01T00:00:00Z" };
    expect(await call("info.upgrades", {}, { told })).toEqual({ ...(await call("info.upgrades")), ...igloo });
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`u${i}Time`, "2027-01-01T00:00:00Z"]));
    expect(Object.keys(await call("info.upgrades", {}, { told: many }))).toHaveLength(18 + 16);
    for (const nothing of [null, 7, "x", []]) {
      expect(Object.keys(await call("info.upgrades", {}, { told: nothing }))).toHaveLength(18);
    }
  });

  test("mainnet's fees are not those of other networks", async () => {
    expect(await call("info.getTxFee")).toMatchObject({
      createAssetTxFee: "10000000",
      createSubnetTxFee: "1000000000",
      addSubnetValidatorFee: "1000000",
    });
  });

  test("VMs and fxs are listed by their IDs, which are well known", async () => {
    expect(JSON.stringify(await call("info.getVMs"))).toBe(
      '{"vms":{"jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq":["avm"],"mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6":["evm"],' +
        '"rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT":["platform"]},"fxs":{"qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT":"nftfx",' +
        '"rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy":"propertyfx","spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ":"secp256k1fx"}}',
    );
  });

  test("the node shows its keys in the API's form", async () => {
    const { nodeID, nodePOP } = await call("info.getNodeID");
    expect([nodeID, nodePOP]).toEqual([
      formatNodeId("01".repeat(20)),
      { publicKey: `0x${"02".repeat(48)}`, proofOfPossession: `0x${"03".repeat(96)}` },
    ]);
    expect(await call("info.getNodeIP")).toEqual({ ip: "10.0.0.5:9651" });
  });
});
