import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { parseId } from "../../../src/base/bytes/cb58.ts";
import { nameId, PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import { type EvmChainEntry, entryOf } from "../../../src/evm/chain-entry.ts";
import { evmChainSettings, evmChains } from "../../../src/evm/index/tables.ts";
import { openEvmChain } from "../../../src/evm/ingest/open-chain.ts";
import { parseSettings } from "../../../src/evm/settings-json.ts";
import type { UpstreamRpc } from "../../../src/sources/upstream/upstream-rpc.ts";
import { makeChain } from "../decode/intents.ts";
import { IndexedRows } from "../index/indexed-rows.ts";
import { SlowStore } from "./slow-store.ts";

const BLOCKCHAIN_ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";
const entry = entryOf(["http://user:secret@node.example.org/rpc?key=1"]);

function node({ chainId = "0x539", block = {} as object | null } = {}): UpstreamRpc {
  return {
    request: async (method) => (method === "eth_chainId" ? chainId : block),
    requestAll: async () => [],
  };
}

function open(store: SlowStore, given: EvmChainEntry, rpc: UpstreamRpc) {
  return openEvmChain({ store, entry: given, rpc });
}

function emptyStore() {
  const indexed = new IndexedRows({ chain: 0, evmChainId: 1337n });
  return { indexed, store: new SlowStore(indexed.rows) };
}

describe("Opening an EVM chain", () => {
  test("numbers the chains of a store, and finds each under its number again", async () => {
    const { store } = emptyStore();
    expect((await open(store, entry, node())).chain).toBe(0);
    expect((await open(store, entry, node({ chainId: "0x1" }))).chain).toBe(1);
    expect(await open(store, entry, node())).toMatchObject({ chain: 0, evmChainId: 1337n, startHeight: 0n });
    expect(await store.get(evmChains, { chain: 1 })).toEqual({ evmChainId: 1n, startHeight: 0n });
  });

  test("completes what the operator left out, and keeps it without URLs that may be secret", async () => {
    const { store } = emptyStore();
    const given: EvmChainEntry = { ...entry, name: "Ours", nativeToken: { symbol: "OUR" }, maxReorgDepth: 3 };
    const { settings, maxReorgDepth } = await open(store, given, node());
    expect(maxReorgDepth).toBe(3);
    expect(settings).toMatchObject({
      name: "Ours",
      nativeToken: { name: "Native token", symbol: "OUR", decimals: 18 },
      publicRpcUrl: "http://node.example.org/rpc",
      isTestnet: false,
      traces: true,
      nfts: { fetches: false },
    });
    const stored = (await store.get(evmChainSettings, { chain: 0 }))!.settings;
    expect(stored).not.toMatch(/secret|key=/);
    const { rpc: _, ...kept } = settings;
    expect(parseSettings(stored)).toEqual(kept);
  });

  test.each([
    ["extDataHash", { extDataHash: "0x00" }, 0],
    ["blockGasCost", { blockGasCost: "0x0" }, 0],
    ["both beside Ethereum's header, as in a devnet", { extDataHash: "0x00", blockGasCost: "0x0", withdrawalsRoot: "0x00" }, 128],
    ["no field of Avalanche's", {}, 128],
    ["no block", null, 128],
  ])("takes blocks for final where they are Avalanche's: %s", async (_, block, depth) => {
    expect((await open(emptyStore().store, entry, node({ block }))).maxReorgDepth).toBe(depth);
  });

  test.each(["0xzz", 1337, null, `0x${"f".repeat(17)}`])("refuses %j as an ID of a chain", async (chainId) => {
    await expect(open(emptyStore().store, entry, node({ chainId: chainId as string }))).rejects.toMatchObject({
      code: "evm-chain-id",
    });
  });

  test("refuses nodes of another chain than the operator named", async () => {
    await expect(open(emptyStore().store, { ...entry, evmChainId: 5n }, node())).rejects.toMatchObject({
      code: "evm-chain-refused",
      message: expect.stringContaining("is of the chain 1337, not 5"),
    });
  });

  test("keeps the height from which a chain is indexed, and refuses another", async () => {
    const { store } = emptyStore();
    await open(store, { ...entry, startBlock: 7n }, node());
    expect((await open(store, entry, node())).startHeight).toBe(7n);
    await expect(open(store, { ...entry, startBlock: 8n }, node())).rejects.toMatchObject({
      code: "evm-chain-refused",
      message: expect.stringContaining("from block 7 on, not 8; leave startBlock out"),
    });
  });

  test("refuses another chain of the same ID, which the first block tells", async () => {
    const { indexed, store } = emptyStore();
    await open(store, entry, node());
    const [first] = makeChain([[]]);
    indexed.add([first!]);
    await open(store, entry, node({ block: { hash: `0x${first!.hash}` } }));
    await expect(open(store, entry, node({ block: { hash: `0x${"11".repeat(32)}` } }))).rejects.toMatchObject({
      code: "evm-chain-refused",
      message: expect.stringMatching(/another chain 1337: its block 0 is 0x.*use another --data-dir/),
    });
  });
});

describe("Where the URL is an Avalanche node's", () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Answers each method with what is given for it; others with an error. */
  async function avalancheNode(answers: Readonly<Record<string, unknown>>): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { method } = JSON.parse(body) as { method: string };
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id: 1, ...(method in answers ? { result: answers[method] } : { error: { code: 1 } }) }),
      );
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ext/bc/${BLOCKCHAIN_ID}/rpc`;
  }

  test("reads name, subnet and VM off the P-chain of the same node", async () => {
    const vmID = "srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy";
    const subnetID = BLOCKCHAIN_ID;
    const url = await avalancheNode({
      "info.getNetworkID": { networkID: "5" },
      "platform.getTx": { tx: { unsignedTx: { subnetID, vmID, chainName: "Our L1" } } },
    });
    const { settings } = await open(emptyStore().store, entryOf([url]), node());
    const blockchainId = parseId(BLOCKCHAIN_ID);
    expect(settings).toMatchObject({
      name: "Our L1",
      blockchainId,
      subnetId: blockchainId,
      vmId: parseId(vmID),
      isTestnet: true,
      publicRpcUrl: url,
    });
  });

  test("calls the primary network's chain as the Data API does", async () => {
    const unsignedTx = {
      subnetID: "11111111111111111111111111111111LpoYY",
      vmID: "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6",
      chainName: "C-Chain",
    };
    const url = await avalancheNode({ "info.getNetworkID": { networkID: "12345" }, "platform.getTx": { tx: { unsignedTx } } });
    const { settings } = await open(emptyStore().store, entryOf([url]), node());
    expect(settings).toMatchObject({
      name: "Avalanche (C-Chain)",
      subnetId: PRIMARY_NETWORK_ID,
      vmId: nameId("evm"),
      nativeToken: { symbol: "AVAX" },
    });
  });

  test("does without what the node does not tell", async () => {
    const url = await avalancheNode({ "platform.getTx": "nonsense" });
    const { settings } = await open(emptyStore().store, entryOf([url]), node());
    expect(settings).toMatchObject({ name: "EVM chain 1337", blockchainId: parseId(BLOCKCHAIN_ID), subnetId: undefined, isTestnet: false });
  });
});
