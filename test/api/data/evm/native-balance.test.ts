/** The native balance, which only the chain's node knows, and the errors if the node does not return it. */
import { expect, test } from "vitest";
import { getNativeBalance } from "../../../../src/api/data/evm/balances/get-native.ts";
import { listErc20Balances } from "../../../../src/api/data/evm/balances/list-erc20.ts";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { responseWriter } from "../../../../src/api/data/response-writer.ts";
import { evmChainStates, evmHoldings } from "../../../../src/evm/index/tables.ts";
import { evmContractMetadata } from "../../../../src/evm/index/token-tables.ts";
import { type RpcFailure, UpstreamError } from "../../../../src/sources/upstream/upstream-error.ts";
import type { RpcCall } from "../../../../src/sources/upstream/upstream-rpc.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../../src/store/store.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ask } from "../staking/request.ts";
import { askedOf, evmChain, modelRpc, silentLabels } from "./evm-chain.ts";

const HOLDER = "a1".repeat(20);
const TOKEN = "20".repeat(20);
const params = { address: `0x${HOLDER.toUpperCase()}` };

async function withStore(check: (store: Store) => Promise<void>): Promise<void> {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  const state = { height: 20n, hash: "00".repeat(32), timestamp: 0n, transactions: 0n, commits: 1n, hasTraces: true };
  const holding = { chain: CHAIN, holder: HOLDER, kind: 20, token: TOKEN, tokenId: "00".repeat(32) };
  const metadata = { kind: 20, name: "A Token", symbol: "A", decimals: 6, checkedAt: 1n };
  try {
    await store.commit([
      { table: evmChainStates, key: { chain: CHAIN }, value: state },
      { table: evmHoldings, key: holding, value: { balance: 1_500_000n } },
      { table: evmContractMetadata, key: { chain: CHAIN, contract: TOKEN }, value: metadata },
    ]);
    await check(store);
  } finally {
    await store.close();
  }
}

function native(store: Store, chain: EvmChain, query: Record<string, string> = {}) {
  return ask(getNativeBalance, store, askedOf(chain), query, { params });
}

test("It is asked at the newest indexed height, or at the block of the request", async () => {
  await withStore(async (store) => {
    const calls: RpcCall[] = [];
    const rpc = modelRpc((call) => {
      calls.push(call);
      return "0x10";
    });
    const { body } = await native(store, evmChain({ rpc }));
    expect(body).toEqual({ nativeTokenBalance: { name: "Avalanche", symbol: "AVAX", decimals: 18, chainId: "43112", balance: "16" } });
    await native(store, evmChain({ rpc }), { blockNumber: "0" });
    await native(store, evmChain({ rpc }), { blockNumber: "19" });
    expect(calls).toEqual(["0x14", "0x0", "0x13"].map((height) => ({ method: "eth_getBalance", params: [`0x${HOLDER}`, height] })));
  });
});

test("A block that is not indexed is unknown, whether it is too new or too old", async () => {
  await withStore(async (store) => {
    const rpc = modelRpc(() => "0x1");
    await expect(native(store, evmChain({ rpc }), { blockNumber: "21" })).rejects.toMatchObject({ status: 404 });
    await expect(native(store, evmChain({ rpc, startBlock: 5n }), { blockNumber: "4" })).rejects.toMatchObject({ status: 404 });
    await expect(native(store, evmChain({ rpc }), { blockNumber: "-1" })).rejects.toMatchObject({ status: 400 });
    await expect(native(store, evmChain({ rpc }), { blockNumber: "0x1" })).rejects.toMatchObject({ status: 400 });
  });
});

test("Without a node there is no balance, and no list that shows one", async () => {
  await withStore(async (store) => {
    await expect(native(store, evmChain())).rejects.toMatchObject({ status: 503 });
    await expect(ask(listErc20Balances, store, askedOf(evmChain()), {}, { params })).rejects.toMatchObject({ status: 503 });
  });
});

test.each([
  ["no-state", 503],
  ["timeout", 503],
  ["unavailable", 503],
  ["rate-limited", 503],
  ["malformed", 502],
  ["refused", 502],
  ["unsupported", 502],
] as const)("A node that fails with %s makes it a %i, in words that are not the node's", async (failure: RpcFailure, status) => {
  await withStore(async (store) => {
    const rpc = modelRpc(() => {
      throw new UpstreamError(failure, "http://user:secret@node said so");
    });
    const error = await native(store, evmChain({ rpc })).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ status });
    expect((error as Error).message).not.toContain("secret");
  });
});

test.each([[null], ["0x"], ["16"], [`0x1${"0".repeat(64)}`], [16], [{}]])("A balance of %j is a wrong answer", async (answer) => {
  await withStore((store) => expect(native(store, evmChain({ rpc: modelRpc(() => answer) }))).rejects.toMatchObject({ status: 502 }));
});

test("Prices are those of the currency that was asked for, and worth is exact; unpriced things have neither", async () => {
  await withStore(async (store) => {
    const price = (token: string, currency: string) => (currency === "eur" ? { native: 23.41, [TOKEN]: 0.1 }[token] : undefined);
    const chain = evmChain({ rpc: modelRpc(() => "0x28448dd3a0460000"), labels: { ...silentLabels, price } });
    const list = async (currency: string) => {
      const { body } = await ask(listErc20Balances, store, askedOf(chain), { currency }, { params });
      responseWriter(listErc20Balances.response)(body);
      return body;
    };
    const plain = {
      name: "A Token",
      symbol: "A",
      decimals: 6,
      ercType: "ERC-20",
      chainId: "43112",
      balance: "1500000",
      tokenReputation: null,
    };
    const eur = (value: number) => ({ currencyCode: "eur", value });
    expect(await list("eur")).toEqual({
      nativeTokenBalance: expect.objectContaining({ price: eur(23.41), balanceValue: eur(67.926456) }),
      erc20TokenBalances: [{ ...plain, address: expect.any(String), price: eur(0.1), balanceValue: eur(0.15) }],
    });
    expect(await list("usd")).toEqual({
      nativeTokenBalance: { name: "Avalanche", symbol: "AVAX", decimals: 18, chainId: "43112", balance: "2901600000000000000" },
      erc20TokenBalances: [{ ...plain, address: expect.any(String) }],
    });
  });
});
