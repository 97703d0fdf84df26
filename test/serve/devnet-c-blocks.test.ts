/** A devnet's C-chain as others read it: what its blocks show beside Ethereum's, and that nobody is disturbed by it. */
import { once } from "node:events";
import { JsonRpcProvider } from "ethers";
import { createPublicClient, type Hex, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { hashExtraData } from "../../src/chains/atomic/block.ts";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { evmBlocks } from "../../src/evm/index/tables.ts";
import { blocks } from "../../src/index/tables.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { cChainBlockOfRpc } from "../../src/sources/evm/parser/c-chain-block.ts";
import { call } from "../devnet/json-rpc.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";

const GAS_PRICE = 30_000_000_000n;
const AVAX = 1_000_000_000n;
const HELICON = ["targetExponent", "minPriceExponent", "settledHeight", "settledGasUnix", "settledGasNumerator", "settledExcess"];
const NO_EXTRA_DATA = `0x${hashExtraData(new Uint8Array())}`;

/** By Granite, the gas of atomic transactions is counted in headers; by Helicon it is not. */
describe.each([
  ["granite", "granite", 0x2bde],
  ["cortina", "cortina", 0x2bde],
  ["helicon", undefined, 0],
] as const)("A devnet on %s", (upgrade, upgrades, gas) => {
  let network: LocalNetwork;
  let wallet: PlainWallet;
  const evm = async (method: string, ...params: unknown[]) =>
    (await call(network.url, { path: "/ext/bc/C/rpc", method, params })).result as Record<string, string>;
  const issue = async ({ path, method, params }: Pick<Parameters<typeof call>[1], "path" | "method" | "params">) =>
    expect(await call(network.url, { path, method, params })).toHaveProperty("result");

  /** Block 1 pays, block 2 has an export, block 3 another with a payment behind it. */
  beforeAll(async () => {
    network = await startDevnet(upgrades === undefined ? {} : { upgrades });
    wallet = new PlainWallet(network, EWOQ_KEY);
    await issue(wallet.payInEvm(0n, "11".repeat(20), 5n, GAS_PRICE));
    await issue(wallet.exportFromEvm("X", 1n, { to: wallet.address, amount: AVAX }));
    await issue(wallet.exportFromEvm("P", 2n, { to: wallet.address, amount: 2n * AVAX }));
  });
  afterAll(() => network?.stop());

  test("shows the atomic transactions, their hash and their gas, and what follows from the time", async () => {
    const [first, exporting] = [await evm("eth_getBlockByNumber", "0x1", false), await evm("eth_getBlockByNumber", "0x2", true)];
    expect(first).toMatchObject({ blockExtraData: "0x", extDataHash: NO_EXTRA_DATA, extDataGasUsed: "0x0", blockGasCost: "0x0" });
    expect(exporting.extDataHash).toBe(`0x${hashExtraData(Buffer.from(exporting.blockExtraData!.slice(2), "hex"))}`);
    expect(Number(exporting.extDataGasUsed)).toBe(gas);
    const milliseconds = upgrade === "cortina" ? undefined : Number(exporting.timestamp) * 1000;
    expect(exporting.timestampMilliseconds === undefined ? undefined : Number(exporting.timestampMilliseconds)).toBe(milliseconds);
    expect(exporting.minDelayExcess).toBe(upgrade === "cortina" ? undefined : "0x799d4c");
    for (const name of HELICON) expect(name in exporting, name).toBe(upgrade === "helicon");
    expect(await evm("eth_getBlockByNumber", "0x0", false)).toMatchObject({ blockExtraData: "0x", extDataHash: NO_EXTRA_DATA });
    expect(await evm("eth_getBlockByHash", exporting.hash, true)).toEqual(exporting);
    expect(await evm("eth_getBlockByHash", `0x${"00".repeat(32)}`, true)).toBeNull();
  });

  test("shows a block's header alone", async () => {
    const block = await evm("eth_getBlockByNumber", "0x2", true);
    const { blockExtraData, size, transactions, uncles, withdrawals, ...header } = block;
    expect([blockExtraData, size, transactions, uncles]).not.toContain(undefined);
    expect(await evm("eth_getHeaderByNumber", "0x2")).toEqual(header);
    expect(await evm("eth_getHeaderByHash", block.hash)).toEqual(header);
    expect(await evm("eth_getHeaderByHash", `0x${"00".repeat(32)}`)).toBeNull();
    for (const method of ["eth_getHeaderByNumber", "eth_getBlockByNumber"]) {
      const past = await call(network.url, { path: "/ext/bc/C/rpc", method, params: ["0x99", false] });
      if (upgrade === "helicon") expect(past.result).toBeNull();
      else expect(past.error?.message).toBe("cannot query unfinalized data");
    }
  });

  test("has blocks that a follower puts together byte for byte from the RPC alone", async () => {
    const { cChainId: chainId } = network.devnet.network;
    const heights = Array.from({ length: Number(await evm("eth_blockNumber")) + 1 }, (_, height) => BigInt(height));
    expect(heights.length).toBeGreaterThan(3);
    for (const height of heights) {
      const parsed = cChainBlockOfRpc(await evm("eth_getBlockByNumber", `0x${height.toString(16)}`, true), 0n);
      const stored = await network.devnet.store.get(blocks, { chainId, height });
      if (height > 0n) expect(Buffer.from(parsed.bytes)).toEqual(Buffer.from(stored!.bytes));
      expect(parsed.height).toBe(height);
    }
  });

  test("indexes for itself what others read of it", async () => {
    const block = await evm("eth_getBlockByNumber", "0x2", false);
    const names = ["extDataHash", "extDataGasUsed", ...(upgrade === "helicon" ? [...HELICON, "baseFeePerGas"] : [])];
    const row = await network.devnet.store.get(evmBlocks, { chain: 0, height: 2n });
    expect(JSON.parse(row!.extraFields)).toEqual(Object.fromEntries(names.map((name) => [name, block[name]])));
    expect(`0x${Buffer.from(row!.extraData).toString("hex")}`).toBe(block.blockExtraData);
  });

  test("has blocks that ethers and viem read as ever", async () => {
    const viem = createPublicClient({ transport: http(network.urls.C) });
    const ethers = new JsonRpcProvider(network.urls.C, undefined, { cacheTimeout: -1 });
    const [block, same] = [await viem.getBlock({ blockNumber: 1n, includeTransactions: true }), (await ethers.getBlock(1, true))!];
    expect(block).toMatchObject({ number: 1n, hash: same.hash, gasUsed: same.gasUsed, transactions: [{ hash: same.transactions[0] }] });
    expect(same.prefetchedTransactions[0]).toMatchObject({ value: 5n, to: `0x${"11".repeat(20)}` });
    expect(block.transactions[0]!.input satisfies Hex).toBe("0x");
    ethers.destroy();
  });

  test("tells subscribers of heads with the header's members only", async () => {
    const socket = new WebSocket(network.urls.cWebSocket);
    await once(socket, "open");
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    await once(socket, "message");
    const heard = once(socket, "message");
    await issue(
      wallet.exportFromEvm("X", BigInt((await evm("eth_getTransactionCount", wallet.evmAddress, "latest")) as never), {
        to: wallet.address,
        amount: AVAX,
      }),
    );
    const { result: head } = JSON.parse(String((await heard)[0])).params;
    const { blockExtraData, ...block } = await evm("eth_getBlockByHash", head.hash, false);
    expect(blockExtraData).not.toBe("0x");
    expect(head).not.toHaveProperty("blockExtraData");
    expect(head).toMatchObject(
      Object.fromEntries(
        ["extDataHash", "extDataGasUsed", "blockGasCost", "number", ...(upgrade === "helicon" ? HELICON : [])].map((name) => [
          name,
          block[name],
        ]),
      ),
    );
    socket.close();
  });
});
