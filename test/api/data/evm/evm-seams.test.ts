/** What all routes of EVM chains have in common, over HTTP: the choice of the chain, freshness, page tokens, and caching. */
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { publicChainId } from "../../../../src/api/data/network-labels.ts";
import { type AnyDataRoute, dataRoute } from "../../../../src/api/data/route.ts";
import { dataRoutes } from "../../../../src/api/data/routes.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import type { Change } from "../../../../src/base/table/table.ts";
import { evmChainStates, evmChains, evmUpstreams } from "../../../../src/evm/index/tables.ts";
import { C_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { makeChain, PEOPLE } from "../../../evm/decode/intents.ts";
import { IndexedRows } from "../../../evm/index/indexed-rows.ts";
import { change, smallNetwork } from "../../../serve/small-store.ts";
import { type DataNode, startDataNode } from "../data-node.ts";
import { evmChain } from "./evm-chain.ts";

const withId = (chain: EvmChain, blockchainId: string): EvmChain => ({ ...chain, settings: { ...chain.settings, blockchainId } });
const L1_ID = "ab".repeat(32);
const C = withId(evmChain({ chain: 0, evmChainId: 43114n }), smallNetwork.cChainId);
const L1 = withId(evmChain({ chain: 1, evmChainId: 99n }), L1_ID);
/** known, and without a block yet */
const EMPTY = evmChain({ chain: 2, evmChainId: 7n });
const CHAINS: readonly EvmChain[] = [C, L1, EMPTY];

let made = 0;
const base = { method: "GET", tag: "Count", summary: "Counts how often it was made.", cost: "O(1)", computeUnits: 1 } as const;
const response = Type.Object({ made: Type.Integer() });
const counting = (path: string, isOfState: boolean): AnyDataRoute =>
  dataRoute({
    ...base,
    path,
    operationId: path.replaceAll(/\W/g, ""),
    evm: "chain",
    isOfState,
    query: Type.Object({}),
    response,
    handle: async () => ({ made: ++made }),
  });
const listing = dataRoute({
  ...base,
  path: "/counted-chains",
  operationId: "countedChains",
  evm: "all",
  isOfState: true,
  query: Type.Object({}),
  response,
  handle: async (_, context) => ({ made: context.evmChains.filter((chain) => context.isAvailable(chain)).length + 10 * ++made }),
});
const routes = [
  listing,
  ...dataRoutes,
  counting("/chains/{chainId}/kept", true),
  counting("/chains/{chainId}/made", false),
  dataRoute({
    ...base,
    method: "POST",
    path: "/chains/{chainId}/made",
    operationId: "make",
    evm: "chain",
    version: 2,
    status: 201,
    query: Type.Object({}),
    response,
    handle: async (_, { evmChain }) => ({ made: Number(evmChain.evmChainId) }),
  }),
];

/** Blocks of two transactions each. */
function rows({ chain, evmChainId }: EvmChain, blocks: number): Change[] {
  const indexed = new IndexedRows({ chain, evmChainId });
  const [from, to] = PEOPLE;
  const transaction = { from: from!, to: to!, isSuccess: true, inputLength: 0, intents: [] };
  for (const block of makeChain(Array.from({ length: blocks }, () => [transaction, transaction])))
    indexed.project(block, { recordsUndo: false });
  return indexed.view.drain() as Change[];
}

const NOW = () => BigInt(Math.floor(vi.getMockedSystemTime()!.getTime() / 1000));

let node: DataNode;
beforeAll(async () => {
  // nodes that answered a moment ago stay so
  vi.useFakeTimers({ toFake: ["Date"] });
  node = await startDataNode({ dataRoutes: routes, evmChains: { of: async () => CHAINS }, maxStalenessSeconds: 60 });
  await node.store.commit([
    ...rows(C, 5),
    ...rows(L1, 5),
    change(evmChains, { chain: 2 }, { evmChainId: 7n, startHeight: 0n }),
    change(evmUpstreams, { chain: 0 }, { headHeight: 4n, headTimestamp: 1_700_000_004n, seenAt: NOW(), problem: "" }),
  ]);
});
afterAll(() => {
  vi.useRealTimers();
  return node.remove();
});

/** Another state of the L1. */
async function nextCommit(): Promise<Change> {
  const state = (await node.store.get(evmChainStates, { chain: 1 }))!;
  return change(evmChainStates, { chain: 1 }, { ...state, commits: state.commits + 1n });
}

describe("{chainId}", () => {
  test.each([
    ["the EVM chain ID", "43114", "43114"],
    ["the blockchain ID", formatId(smallNetwork.cChainId), "43114"],
    ["the ID that clients know the network's C-chain by", publicChainId(C_CHAIN, "mainnet"), "43114"],
    ["the blockchain ID of another chain", formatId(L1_ID), "99"],
  ])("is %s", async (_, text, chainId) => {
    const { status, body } = await node.ask(`/v1/chains/${text}`);
    expect([status, body.chainId]).toEqual([200, chainId]);
  });

  test.each(["43113", "0043114", "x", "latest", formatId("cd".repeat(32))])(
    "is 404 where it names no chain of this server: %s",
    async (text) => {
      for (const path of [`/v1/chains/${text}`, `/v1/chains/${text}/blocks`, `/v2/chains/${text}/addresses/0x/transactions`]) {
        const { status, body } = await node.ask(path);
        expect([status, body.message]).toEqual([404, expect.stringContaining("is not served here; use 7, 99, 43114")]);
      }
    },
  );

  test("does not hide the routes that are about all chains", async () => {
    expect((await node.ask("/v1/chains/allBlocks?pageSize=1")).body.blocks).toHaveLength(1);
    expect((await node.ask("/v1/chains/allTransactions?pageSize=1")).body.transactions).toHaveLength(1);
    const { body } = await node.ask(`/v1/chains/address/0x${PEOPLE[0]}`);
    expect(body.indexedChains.map(({ chainId }: { chainId: string }) => chainId)).toEqual(["99", "43114"]);
  });

  test("of a chain without a block is 503 wherever blocks are needed, and a chain like the others where they are not", async () => {
    const { status, body } = await node.ask("/v1/chains/7/blocks");
    expect([status, body.message]).toEqual([503, "the chain 7 is not indexed yet; try again later"]);
    const { chains } = (await node.ask("/v1/chains")).body;
    expect(chains.map(({ chainId, status }: Record<string, string>) => [chainId, status])).toEqual([
      ["7", "UNAVAILABLE"],
      ["99", "OK"],
      ["43114", "OK"],
    ]);
    expect((await node.ask("/v1/chains/7")).body.status).toBe("UNAVAILABLE");
  });
});

test("A request for a chain is made from its own height, which stands in the headers of every answer", async () => {
  const { headers } = await node.ask("/v1/chains/99/blocks");
  expect([headers.get("firn-height-99"), headers.get("firn-height-43114"), headers.get("firn-seconds-behind-99")]).toEqual(["4", "4", "0"]);
});

test("A page token is good for the chain under any of its names and the address in any case, and for nothing else", async () => {
  const path = (chain: string, address: string, verb = "") => `/v1/chains/${chain}/addresses/0x${address}/transactions${verb}`;
  const [address, other] = PEOPLE as [string, string];
  const { body } = await node.ask(`${path("43114", address)}?pageSize=3`);
  const token = body.nextPageToken;
  const next = await node.ask(`${path(formatId(smallNetwork.cChainId), address.toUpperCase())}?pageSize=3&pageToken=${token}`);
  const hashes = [...body.transactions, ...next.body.transactions].map(({ nativeTransaction }) => nativeTransaction.txHash);
  expect([next.status, new Set(hashes).size]).toEqual([200, 6]);
  for (const wrong of [path("99", address), path("43114", other), path("43114", address, ":listNative")]) {
    expect((await node.ask(`${wrong}?pageToken=${token}`)).status, wrong).toBe(400);
  }
});

test.each([
  ["an address that is none", "/v1/chains/99/addresses/0x12/transactions", "address must be 0x and 40 hex digits"],
  ["a hash that is none", "/v1/chains/99/transactions/0x12", "txHash must be 0x and 64 hex digits"],
  ["a block that is none", "/v1/chains/99/blocks/x", "blockId must be a height, or a hash"],
  ["a status that is none", "/v1/chains/99/transactions?status=ok", "status must be failed or success"],
  ["a page that is too large", "/v1/chains/99/blocks/1/transactions?pageSize=101", "pageSize must be an integer from 0 to 100"],
  ["a height that is none", `/v1/chains/99/addresses/0x${PEOPLE[0]}/transactions?startBlock=-1`, "startBlock must be an integer"],
])("%s is 400", async (_, path, message) => {
  const { status, body } = await node.ask(path);
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
});

test.each([
  "/v1/chains/99/blocks/5",
  "/v1/chains/99/blocks/99999999999999999999",
  `/v1/chains/99/blocks/0x${"0".repeat(64)}/transactions`,
  `/v1/chains/99/transactions/0x${"0".repeat(64)}`,
  `/v1/chains/99/contracts/0x${PEOPLE[0]}/transactions:getDeployment`,
])("a thing that the chain does not have is 404: %s", async (path) => {
  expect((await node.ask(path)).status).toBe(404);
});

test("A route of the second version is below /v2 and may answer with 201", async () => {
  expect(await node.ask("/v2/chains/99/made", { method: "POST" })).toMatchObject({ status: 201, body: { made: 99 } });
  expect((await node.ask("/v1/chains/99/made", { method: "POST" })).status).toBe(404);
  expect((await node.ask(`/v2/chains/99/addresses/0x${PEOPLE[0]}/transactions?filterSpamTokens=true`)).status).toBe(200);
});

test("An answer is kept until the chain moves if its route says that rows alone give it", async () => {
  const of = async (path: string) => (await node.ask(`/v1/chains/99/${path}`)).body.made as number;
  const first = await of("kept");
  expect([await of("kept"), await of("made"), await of("made")]).toEqual([first, first + 1, first + 2]);
  await node.store.commit([await nextCommit()]);
  expect(await of("kept")).toBe(first + 3);
});

test("A chain that is further behind its source than the operator allows is 503, and left out where all chains are listed", async () => {
  await node.store.commit([
    await nextCommit(),
    change(evmUpstreams, { chain: 1 }, { headHeight: 9n, headTimestamp: 1_700_000_104n, seenAt: NOW(), problem: "" }),
  ]);
  const { status, body, headers } = await node.ask("/v1/chains/99/blocks");
  expect([status, body.message, headers.get("firn-seconds-behind-99")]).toEqual([
    503,
    "the index of the chain 99 is 100s behind its source; at most 60s are served here",
    "100",
  ]);
  const listed = (await node.ask("/v1/blocks?pageSize=100")).body.blocks.map(({ chainId }: { chainId: string }) => chainId);
  expect(new Set(listed)).toEqual(new Set(["43114"]));
  expect((await node.ask("/v1/chains/99")).body.status).toBe("UNAVAILABLE");
  expect((await node.ask("/v1/chains/43114/blocks")).status).toBe(200);
});

test("availability is kept with an answer unless it can become too old", async () => {
  const ask = async (server: DataNode) => (await server.ask("/v1/counted-chains")).body.made as number;
  expect(await ask(node)).not.toBe(await ask(node));
  const patient = await startDataNode({ dataRoutes: routes, evmChains: { of: async () => CHAINS } });
  try {
    expect(await ask(patient)).toBe(await ask(patient));
  } finally {
    await patient.remove();
  }
});

test("A server without EVM chains has none, and says so", async () => {
  const bare = await startDataNode({ dataRoutes });
  try {
    expect((await bare.ask("/v1/chains")).body).toEqual({ chains: [] });
    expect((await bare.ask("/v1/blocks")).body).toEqual({ blocks: [] });
    const { status, body } = await bare.ask("/v1/chains/43114/blocks");
    expect([status, body.message]).toEqual([404, 'chain "43114" is not served here; there are no EVM chains']);
  } finally {
    await bare.remove();
  }
});
