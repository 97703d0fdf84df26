/** The members of blocks, transactions and chains in answers; unknown values are absent. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getEvmBlock } from "../../../../src/api/data/evm/blocks/get-evm-block.ts";
import { presentBlock } from "../../../../src/api/data/evm/blocks/present-block.ts";
import { getChain } from "../../../../src/api/data/evm/chains/get-chain.ts";
import { listChains } from "../../../../src/api/data/evm/chains/list-chains.ts";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { getDeploymentTransaction } from "../../../../src/api/data/evm/transactions/get-deployment-transaction.ts";
import { getEvmTransaction } from "../../../../src/api/data/evm/transactions/get-evm-transaction.ts";
import { listInternalTransactions } from "../../../../src/api/data/evm/transactions/list-internal-transactions.ts";
import { responseWriter } from "../../../../src/api/data/response-writer.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { formatEvmAddress } from "../../../../src/base/bytes/evm-address.ts";
import { encodeExtraData, parseAtomicTx } from "../../../../src/chains/atomic/tx.ts";
import { evmContractMetadata } from "../../../../src/evm/index/token-tables.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import { readJson } from "../../../conformance/json-lines.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { makeBlock, PEOPLE, TOKENS } from "../../../evm/decode/intents.ts";
import { CHAIN, IndexedRows } from "../../../evm/index/indexed-rows.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { change } from "../../../serve/small-store.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ask } from "../staking/request.ts";
import { askedOf, evmChain, silentLabels } from "./evm-chain.ts";

const [SENDER, RECEIVER] = PEOPLE as [string, string];
const CREATED = "c0".repeat(20);

/** Before London, with a creation that failed. */
const OLD: EvmBlock = (() => {
  const block = makeBlock(0n, [{ from: SENDER, to: undefined, isSuccess: false, inputLength: 5, intents: [] }]);
  const [transaction] = block.transactions;
  const legacy = { type: 0, created: CREATED, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
  return { ...block, baseFee: undefined, transactions: [{ ...transaction!, ...legacy }] };
})();

/** Since Granite: a call, a call with fewer bytes than a name has, and a payment. */
const NEW: EvmBlock = {
  ...makeBlock(1n, [
    {
      from: SENDER,
      to: TOKENS.plain,
      isSuccess: true,
      inputLength: 200,
      intents: [
        { kind: "amount", token: "plain", from: SENDER, to: RECEIVER, value: 5n },
        { kind: "frame", type: "CREATE2", from: TOKENS.plain, to: CREATED, value: 0n, isReverted: true },
      ],
    },
    { from: SENDER, to: RECEIVER, isSuccess: true, inputLength: 3, intents: [] },
    { from: SENDER, to: RECEIVER, isSuccess: true, inputLength: 0, intents: [] },
  ]),
  parentHash: OLD.hash,
  timestampMilliseconds: 1_700_000_001_250n,
  minDelayExcess: 7_970_124n,
  gasCost: 9n,
};

const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
beforeAll(async () => {
  const indexed = new IndexedRows();
  for (const block of [OLD, NEW]) indexed.project(block, { recordsUndo: false });
  await store.commit([
    ...indexed.view.drain(),
    change(
      evmContractMetadata,
      { chain: CHAIN, contract: TOKENS.plain },
      { kind: 20, name: "Gold", symbol: "GLD", decimals: 6, checkedAt: 0n },
    ),
  ]);
});
afterAll(() => store.close());

const labels = {
  ...silentLabels,
  methodName: (selector: string, contract: string) => (selector === "01010101" && contract === TOKENS.plain ? "mine(uint256)" : undefined),
};

/** As clients get it. */
async function answer(route: AnyDataRoute, params: Record<string, string>, chain: EvmChain = evmChain({ labels })) {
  const { body } = await ask(route, store, askedOf(chain), {}, { params });
  return JSON.parse(responseWriter(route.response)(body));
}

const common = (block: EvmBlock, index: number) => ({
  blockNumber: `${block.height}`,
  blockTimestamp: Number(block.timestamp),
  blockHash: `0x${block.hash}`,
  chainId: "43112",
  blockIndex: index,
  txHash: `0x${block.transactions[index]!.hash}`,
  gasLimit: "100000",
  gasUsed: "21000",
  gasPrice: "8",
  nonce: "1",
  from: { address: formatEvmAddress(SENDER) },
  value: "3",
});
const granite = { blockTimestampMilliseconds: 1_700_000_001_250, blockMinDelayExcess: 7_970_124 };
const gold = { name: "Gold", symbol: "GLD", decimals: 6, address: formatEvmAddress(TOKENS.plain) };
const networkTokenDetails = { networkToken: { name: "Avalanche", symbol: "AVAX", decimals: 18 } };
const fees = { baseFeePerGas: "7", maxFeePerGas: "10", maxPriorityFeePerGas: "1" };

describe("A transaction", () => {
  test("that failed to create a contract names the address that it would have had, and has no fees that its time did not know", async () => {
    expect(await answer(getEvmTransaction, { txHash: `0x${OLD.transactions[0]!.hash}` })).toEqual({
      nativeTransaction: {
        ...common(OLD, 0),
        txStatus: "0",
        txType: 0,
        to: { address: formatEvmAddress(CREATED) },
        method: { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" },
        input: "0x0101010101",
        baseFeePerGas: "0",
      },
      networkTokenDetails,
    });
  });

  test("that calls has its whole input, the name of the method, and all that happened in it", async () => {
    expect(await answer(getEvmTransaction, { txHash: `0x${NEW.transactions[0]!.hash.toUpperCase()}` })).toEqual({
      nativeTransaction: {
        ...common(NEW, 0),
        ...granite,
        txStatus: "1",
        txType: 2,
        to: gold,
        method: { callType: "CONTRACT_CALL", methodHash: "0x01010101", methodName: "mine(uint256)" },
        input: `0x${"01".repeat(200)}`,
        ...fees,
      },
      erc20Transfers: [
        {
          from: { address: formatEvmAddress(SENDER) },
          to: { address: formatEvmAddress(RECEIVER) },
          logIndex: 0,
          value: "5",
          erc20Token: { ...gold, ercType: "ERC-20" },
        },
      ],
      internalTransactions: [
        {
          from: gold,
          to: { address: formatEvmAddress(CREATED) },
          internalTxType: "CREATE2",
          value: "0",
          isReverted: true,
          gasUsed: "700",
          gasLimit: "5000",
        },
      ],
      networkTokenDetails,
    });
  });

  test.each([
    [1, "010101", { callType: "CONTRACT_CALL", methodHash: "0x010101" }],
    [2, "", { callType: "NATIVE_TRANSFER", methodHash: "", methodName: "Native Transfer" }],
  ])("with %i as its place says what its input makes it", async (index, input, method) => {
    expect(await answer(getEvmTransaction, { txHash: `0x${NEW.transactions[index]!.hash}` })).toEqual({
      nativeTransaction: {
        ...common(NEW, index),
        ...granite,
        txStatus: "1",
        txType: 2,
        to: { address: formatEvmAddress(RECEIVER) },
        method,
        input: `0x${input}`,
        ...fees,
      },
      networkTokenDetails,
    });
  });

  test("that deployed nothing is nobody's deployment", async () => {
    await expect(answer(getDeploymentTransaction, { address: `0x${CREATED}` })).rejects.toMatchObject({ status: 404 });
  });
});

describe("A block", () => {
  test("has what its chain knows at its time", async () => {
    const both = { chainId: "43112", gasLimit: "30000000" };
    expect(await answer(getEvmBlock, { blockId: "0" })).toEqual({
      ...both,
      blockNumber: "0",
      blockTimestamp: 1_700_000_000,
      blockHash: `0x${OLD.hash}`,
      parentHash: `0x${OLD.parentHash}`,
      txCount: 1,
      baseFee: "0",
      gasUsed: "21000",
      gasCost: "0",
      feesSpent: "168000",
      cumulativeTransactions: "1",
    });
    expect(await answer(getEvmBlock, { blockId: `0x${NEW.hash}` })).toEqual({
      ...both,
      ...granite,
      blockNumber: "1",
      blockTimestamp: 1_700_000_001,
      blockHash: `0x${NEW.hash}`,
      parentHash: `0x${NEW.parentHash}`,
      txCount: 3,
      baseFee: "7",
      gasUsed: "63000",
      gasCost: "9",
      feesSpent: "504000",
      cumulativeTransactions: "4",
    });
  });

  test("of the C-chain names what it moves between chains: one transaction by itself as long ago, or several", () => {
    const { atomic } = readJson<{ atomic: readonly { txID: string; raw: string }[] }>(recordingFolder("evm-1"), "expected.json");
    const bytes = atomic.map(({ raw }) => Buffer.from(raw.slice(2), "hex"));
    const exports = atomic.map(({ txID }) => ({ txHash: txID, txType: "ExportTx" }));
    expect(exports.length).toBeGreaterThan(1);
    const shown = (extraData: Uint8Array) => presentBlock(0n, { ...row, extraData }, evmChain()).atomicTransactions;
    expect(shown(bytes[0]!)).toEqual(exports.slice(0, 1));
    expect(shown(encodeExtraData(bytes.map(parseAtomicTx)))).toEqual(exports);
    expect(shown(Buffer.from("something of another chain"))).toBeUndefined();
    expect(shown(new Uint8Array())).toBeUndefined();
  });
});

const row = {
  ...OLD,
  gasUsed: 0n,
  feesSpent: 0n,
  txCount: 0,
  cumulativeTransactions: 0n,
  extraFields: "{}",
};

describe("A chain", () => {
  const chain = evmChain();
  const full: EvmChain = {
    ...chain,
    multicall: "ca".repeat(20),
    settings: {
      ...chain.settings,
      blockchainId: "00".repeat(32),
      subnetId: "00".repeat(32),
      vmId: "00".repeat(32),
      publicWsUrl: "ws://127.0.0.1:1",
      explorerUrl: "http://127.0.0.1:2",
      logoUri: "http://127.0.0.1:3/logo.png",
      nativeToken: { ...chain.settings.nativeToken, logoUri: "http://127.0.0.1:3/avax.png", description: "Gas" },
      isTestnet: false,
      isPrivate: true,
    },
  };
  const plain = {
    chainId: "43112",
    status: "OK",
    chainName: "Test",
    description: "",
    vmName: "EVM",
    rpcUrl: "http://127.0.0.1:1",
    isTestnet: true,
    networkToken: networkTokenDetails.networkToken,
    private: false,
    enabledFeatures: ["nftIndexing"],
  };

  test("has what its operator said, and nothing else", async () => {
    expect(await answer(getChain, {}, chain)).toEqual(plain);
    const ID = "11111111111111111111111111111111LpoYY";
    expect(await answer(getChain, {}, full)).toEqual({
      ...plain,
      platformChainId: ID,
      subnetId: ID,
      vmId: ID,
      wsUrl: "ws://127.0.0.1:1",
      explorerUrl: "http://127.0.0.1:2",
      chainLogoUri: "http://127.0.0.1:3/logo.png",
      utilityAddresses: { multicall: formatEvmAddress("ca".repeat(20)) },
      networkToken: { ...plain.networkToken, logoUri: "http://127.0.0.1:3/avax.png", description: "Gas" },
      isTestnet: false,
      private: true,
      enabledFeatures: ["nftIndexing", "teleporter"],
    });
  });

  test("is listed for its network, and for the feature that it has", async () => {
    const evmChains = [chain, { ...full, evmChainId: 1n }];
    const listed = async (query: Record<string, string>) => {
      const { body } = await ask(listChains, store, { network, clock: 0n, evmChains, unavailable: [chain] }, query);
      return (body.chains as Record<string, string>[]).map(({ chainId, status }) => `${chainId} ${status}`);
    };
    expect(await listed({})).toEqual(["43112 UNAVAILABLE", "1 OK"]);
    expect(await listed({ network: "mainnet" })).toEqual(["1 OK"]);
    expect(await listed({ network: "fuji", feature: "nftIndexing" })).toEqual(["43112 UNAVAILABLE"]);
    expect(await listed({ feature: "teleporter" })).toEqual(["1 OK"]);
    expect(await listed({ feature: "webhooks" })).toEqual([]);
  });

  test("whose node traced not every block says so, and lists no internal transactions", async () => {
    const indexed = new IndexedRows({ chain: CHAIN + 1 });
    for (const block of [OLD, { ...NEW, hasTraces: false }]) indexed.project(block, { recordsUndo: false });
    await store.commit(indexed.view.drain());
    const untraced = evmChain({ chain: CHAIN + 1 });
    expect(await answer(getChain, {}, untraced)).toEqual({ ...plain, internalTransactions: "unavailable" });
    const list = answer(listInternalTransactions, { address: `0x${SENDER}` }, untraced);
    await expect(list).rejects.toMatchObject({ status: 503, message: expect.stringContaining("no call traces") });
  });
});
