/** The calls of `firn.*` to a devnet, and their errors for wrong parameters. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Development } from "../../../../src/api/rpc/firn/development.ts";
import { firnMethods } from "../../../../src/api/rpc/firn/methods.ts";
import { formatId, parseNodeId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { assetChainState, assetChains } from "../../../../src/chains/asset/tables.ts";
import { platformChain } from "../../../../src/chains/platform/tables.ts";
import { ChainNode, id } from "../chain-node.ts";

const FUNDED = formatId(id(7));
const NODE_ID = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
const NOW = 1_800_000_000n;

let node: ChainNode;
let done: unknown[][];

beforeEach(() => {
  node = new ChainNode(firnMethods);
  done = [];
  let now = NOW;
  const did = async (...what: unknown[]) => void done.push(what);
  node.development = {
    keys: [{ name: "ewoq", privateKey: "PrivateKey-1", privateKeyHex: "0x01", addresses: { P: "P-a", X: "X-a", C: "C-a", evm: "0xa" } }],
    now: () => now,
    advanceTime: async (seconds) => {
      now += seconds;
      await did("advanceTime", seconds);
    },
    setTime: async (to) => {
      now = to;
      await did("setTime", to);
    },
    uptime: (_subnetId, nodeId) => (nodeId === parseNodeId(NODE_ID) ? 795_000 : 1_000_000),
    setUptime: (...what) => did("setUptime", ...what),
    mine: () => did("mine"),
    mineEvm: (...what) => did("mineEvm", ...what),
    setNextEvmTimestamp: (to) => did("setNextEvmTimestamp", to),
    fund: async (...what) => {
      await did("fund", ...what);
      return FUNDED;
    },
    snapshot: async () => "1",
    revert: (...what) => did("revert", ...what),
    snapshots: async () => [{ id: "1", time: NOW, heights: new Map([[PLATFORM_CHAIN_ID, 5n]]) }],
    deleteSnapshot: (...what) => did("deleteSnapshot", ...what),
    signWarp: async () => Buffer.alloc(0),
    createL1: async (wish) => {
      await did("createL1", wish);
      return {
        ...{ chainName: "dex", evmChainId: 99_001n, chainId: id(0xd1), subnetId: id(0xd2) },
        validators: [{ nodeId: parseNodeId(NODE_ID), validationId: id(0xd3), weight: 100n }],
      };
    },
    l1s: () => [{ chainId: id(0xd1), chainName: "dex", subnetId: id(0xd2), running: undefined, problem: "genesis: gasLimit is missing" }],
    evmProblem: () => undefined,
  } satisfies Development;
  const scalars = { lastAccepted: EMPTY_ID, timestamp: 0n };
  node.reader.put(platformChain, { slot: 0 }, { height: 5n, feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n, accruedFees: 0n, ...scalars });
  const asset = { height: 9n, phase: 1, txCount: 0n, vertexCount: 0n, feeAssetId: EMPTY_ID, ...scalars };
  for (const [chain, chainId] of [node.network.xChainId, id(0xc1)].entries()) {
    node.reader.put(assetChains, { chain }, { chainId, fxIds: [] });
    node.reader.put(assetChainState, { chain }, asset);
  }
});

describe("The clock", () => {
  test("is moved forward by seconds, as a number or a text", async () => {
    expect(await node.result("firn.advanceTime", { seconds: 86_400 })).toEqual({ time: "2027-01-16T08:00:00Z", unixTime: 1_800_086_400 });
    await node.result("firn.advanceTime", { seconds: "60" });
    expect(done).toEqual([
      ["advanceTime", 86_400n],
      ["advanceTime", 60n],
    ]);
  });

  test("is set to Unix seconds or a written time", async () => {
    await node.result("firn.setTime", { time: 1_800_000_010 });
    expect(await node.result("firn.setTime", { time: "2027-02-01T00:00:00Z" })).toEqual({
      time: "2027-02-01T00:00:00Z",
      unixTime: 1_801_440_000,
    });
    expect(done).toEqual([
      ["setTime", 1_800_000_010n],
      ["setTime", 1_801_440_000n],
    ]);
  });

  test.each([
    ["advanceTime", {}, "seconds is missing; send the number of seconds"],
    ["advanceTime", { seconds: -5 }, "seconds is -5; send"],
    ["advanceTime", { seconds: 1.5 }, "seconds is 1.5; send"],
    ["advanceTime", { seconds: true }, "seconds is true; send"],
    ["advanceTime", { seconds: 0 }, "seconds is 0; send"],
    ["advanceTime", { seconds: "18446744073709551615" }, "the latest that it can show is"],
    ["setTime", {}, "time is missing; send Unix seconds, or a time like"],
    ["setTime", { time: "tomorrow" }, 'time is "tomorrow"; send'],
    ["setTime", { time: "2027-13-01T00:00:00Z" }, "; send Unix seconds"],
    ["setTime", { time: 1_799_999_999 }, "but the clock shows 2027-01-15T08:00:00Z and only goes forward; firn.revert"],
    ["setTime", { time: 253_402_300_800 }, "the end of the year 9999"],
  ])("%s %j is refused in a sentence", async (method, params, sentence) => {
    expect(await node.ask(`firn.${method}`, params)).toContain(sentence);
    expect(done).toEqual([]);
  });
});

describe("Uptimes", () => {
  test("are told in percent, of the primary network unless a subnet is named", async () => {
    expect(await node.result("firn.getUptime", { nodeID: NODE_ID })).toEqual({
      nodeID: NODE_ID,
      subnetID: formatId(PRIMARY_NETWORK_ID),
      uptime: "79.5000",
    });
  });

  test("are set in percent with four decimals at most", async () => {
    for (const uptime of [0, 79.9999, "12.5", 100]) await node.result("firn.setUptime", { nodeID: NODE_ID, uptime });
    await node.result("firn.setUptime", { nodeID: NODE_ID, uptime: 1, subnetID: formatId(id(3)) });
    const nodeId = parseNodeId(NODE_ID);
    expect(done).toEqual([
      ...[0, 799_999, 125_000, 1_000_000].map((millionths) => ["setUptime", nodeId, millionths, PRIMARY_NETWORK_ID]),
      ["setUptime", nodeId, 10_000, id(3)],
    ]);
  });

  test.each([
    [{ uptime: 5 }, "nodeID is missing; send a node ID like NodeID-"],
    [{ nodeID: "7Xhw", uptime: 5 }, 'nodeID is "7Xhw"; send a node ID like'],
    [{ nodeID: NODE_ID }, "uptime is missing; send the percentage"],
    [{ nodeID: NODE_ID, uptime: 100.0001 }, "uptime is 100.0001; send"],
    [{ nodeID: NODE_ID, uptime: 1.00001 }, "uptime is 1.00001; send"],
    [{ nodeID: NODE_ID, uptime: "1e1" }, 'uptime is "1e1"; send'],
    [{ nodeID: NODE_ID, uptime: 5, subnetID: "X" }, 'subnetID is "X"; send a subnet\'s ID'],
  ])("%j is refused in a sentence", async (params, sentence) => {
    expect(await node.ask("firn.setUptime", params)).toContain(sentence);
    expect(done).toEqual([]);
  });
});

describe("Blocks, funds and copies", () => {
  test("mine tells the heights of all chains, of created ones by ID", async () => {
    expect(await node.result("firn.mine")).toEqual({ heights: { P: "5", X: "9", [formatId(id(0xc1))]: "9" } });
    expect(done).toEqual([["mine"]]);
  });

  test("fund tells the transaction", async () => {
    expect(await node.result("firn.fund", { address: "P-custom1a", amount: 5 })).toEqual({ txID: FUNDED });
    expect(await node.result("firn.fund", { address: "0xab", amount: "6" })).toEqual({ txID: FUNDED });
    expect(done).toEqual([
      ["fund", "P-custom1a", 5n],
      ["fund", "0xab", 6n],
    ]);
  });

  test.each([
    [{ amount: 5 }, "address is missing; send an address of P, X or C"],
    [{ address: "P-a" }, "amount is missing; send nAVAX"],
    [{ address: "P-a", amount: 0 }, "amount is 0; send nAVAX"],
    [{ address: "P-a", amount: "18446744073709551616" }, "; send nAVAX"],
    [{ address: ["P-a"], amount: 5 }, 'address is ["P-a"]; send'],
  ])("fund %j is refused in a sentence", async (params, sentence) => {
    expect(await node.ask("firn.fund", params)).toContain(sentence);
    expect(done).toEqual([]);
  });

  test("snapshots are deleted by their IDs", async () => {
    expect(await node.result("firn.deleteSnapshot", { snapshotID: "1" })).toEqual({});
    expect(done).toEqual([["deleteSnapshot", "1"]]);
  });

  test("snapshots are made, listed and gone back to by their IDs", async () => {
    expect(await node.result("firn.snapshot")).toEqual({ snapshotID: "1" });
    expect(await node.result("firn.listSnapshots")).toEqual({
      snapshots: [{ snapshotID: "1", time: "2027-01-15T08:00:00Z", unixTime: 1_800_000_000, heights: { P: "5" } }],
    });
    expect(await node.result("firn.revert", { snapshotID: "1" })).toMatchObject({ time: "2027-01-15T08:00:00Z", heights: { P: "5" } });
    expect(done).toEqual([["revert", "1"]]);
    expect(await node.ask("firn.revert")).toContain("snapshotID is missing; send an ID that firn.snapshot returned");
  });

  test("status and keys are told", async () => {
    expect(await node.result("firn.getStatus")).toEqual({
      networkID: "12345",
      networkName: "local",
      time: "2027-01-15T08:00:00Z",
      unixTime: 1_800_000_000,
      heights: { P: "5", X: "9", [formatId(id(0xc1))]: "9" },
      evm: { isUp: true },
    });
    const { keys } = await node.result<{ keys: { addresses: object }[] }>("firn.listKeys");
    expect(keys).toEqual([...node.development!.keys]);
  });
});

describe("L1s", () => {
  test("are made of a name, a genesis as JSON or in a text, a chain ID and a number of validators", async () => {
    const made = await node.result("firn.createL1", { name: "dex", genesis: { config: { chainId: 5 } }, validators: 2 });
    expect(made).toEqual({
      ...{ name: "dex", evmChainID: 99_001, blockchainID: formatId(id(0xd1)), subnetID: formatId(id(0xd2)) },
      rpcPath: `/ext/bc/${formatId(id(0xd1))}/rpc`,
      wsPath: `/ext/bc/${formatId(id(0xd1))}/ws`,
      validators: [{ nodeID: NODE_ID, validationID: formatId(id(0xd3)), weight: "100" }],
    });
    await node.result("firn.createL1", { genesis: "{}", evmChainID: "7" });
    const wishes = done.map(([, wish]) => wish as { genesis: Buffer; evmChainId?: bigint; validators?: number });
    expect(wishes.map(({ genesis }) => genesis.toString().replaceAll(" ", ""))).toEqual(['{"config":{"chainId":5}}', "{}"]);
    expect(wishes.map(({ evmChainId, validators }) => [evmChainId, validators])).toEqual([
      [undefined, 2],
      [7n, undefined],
    ]);
  });

  test.each([
    [{ genesis: 5 }, "genesis is a number; send the chain's genesis as JSON"],
    [{ evmChainID: "x" }, 'evmChainID is "x"; send a whole number that no other chain has, such as 99001'],
    [{ validators: -1 }, "validators is -1; send a whole number from 1 to 16"],
  ])("%j is refused in a sentence", async (params, sentence) => {
    expect(await node.ask("firn.createL1", params)).toContain(sentence);
    expect(done).toEqual([]);
  });

  test("are listed; one that does not run says why", async () => {
    expect(await node.result("firn.listL1s", {})).toEqual({
      l1s: [
        {
          ...{ name: "dex", blockchainID: formatId(id(0xd1)), subnetID: formatId(id(0xd2)) },
          ...{ isUp: false, problem: "genesis: gasLimit is missing" },
        },
      ],
    });
  });
});
