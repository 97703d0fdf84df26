/** An L1 that a devnet makes: contracts on it by viem, and what its RPC, WebSocket and the Data API say of it, by chainkit as it is. */
import { once } from "node:events";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { type Chain, createPublicClient, createWalletClient, getAddress, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { type LocalL1, type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { genesisOf, SubnetMaker } from "../devnet/l1-network.ts";
import { tokenContract } from "./devnet/tokens.ts";

const BOB = "0x00000000000000000000000000000000000B0b01";

let network: LocalNetwork;
let l1: LocalL1;
beforeAll(async () => {
  network = await startDevnet();
  l1 = await network.createL1({ name: "dex", evmChainId: 4321, validators: 2 });
});
afterAll(() => network?.stop());

function clients() {
  const nativeCurrency = { name: "Native token", symbol: "NATIVE", decimals: 18 };
  const chain: Chain = { id: l1.evmChainId, name: l1.name, nativeCurrency, rpcUrls: { default: { http: [l1.rpcUrl] } } };
  const account = privateKeyToAccount(network.accounts[0]!.privateKeyHex as `0x${string}`);
  const parts = { chain, transport: http(l1.rpcUrl), pollingInterval: 20 };
  return { wallet: createWalletClient({ account, ...parts }), reader: createPublicClient(parts), account };
}

async function post(url: string, body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function ask(url: string, method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: { message: string } }> {
  return JSON.parse((await post(url, { jsonrpc: "2.0", id: 1, method, params })).text);
}

describe("An L1 of a devnet", () => {
  test("is an L1 of the P-chain, with its validators and their balances", async () => {
    const P = async (method: string, params: object) =>
      JSON.parse((await post(network.urls.P, { jsonrpc: "2.0", id: 1, method, params })).text);
    expect((await P("platform.getSubnet", { subnetID: l1.subnetId })).result).toMatchObject({
      isPermissioned: false,
      managerChainID: l1.blockchainId,
      managerAddress: "0x0feedc0de0000000000000000000000000000000",
    });
    for (const { nodeId, validationId } of l1.validators) {
      const { result } = await P("platform.getL1Validator", { validationID: validationId });
      expect(result).toMatchObject({ nodeID: nodeId, weight: "100", balance: expect.stringMatching(/^(100|99)\d{9}$/) });
    }
    expect((await P("platform.getBlockchainStatus", { blockchainID: l1.blockchainId })).result).toEqual({ status: "Syncing" });
  });

  test("takes contracts and transfers, and chainkit finds all of them under its chain ID", async () => {
    const { wallet, reader, account } = clients();
    const { abi, bytecode } = tokenContract("Coin");
    const deployment = await wallet.deployContract({ abi, bytecode, args: ["Test Coin", "TC", 2, 100_000n, account.address] });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment });
    const coin = getAddress(contractAddress!);
    const moved = await wallet.writeContract({ abi, address: coin, functionName: "transfer", args: [BOB, 1250n] });
    const paid = await wallet.sendTransaction({ to: BOB, value: 7n });
    await reader.waitForTransactionReceipt({ hash: paid });
    expect(await reader.readContract({ abi, address: coin, functionName: "balanceOf", args: [BOB] })).toBe(1250n);
    expect(await reader.getLogs({ address: coin, fromBlock: 0n })).toHaveLength(2);

    const avalanche = new Avalanche({ network: "fuji", enableTelemetry: false });
    const [chainId, firn] = [`${l1.evmChainId}`, { serverURL: network.url }];
    const { chains } = await avalanche.data.evm.chains.list({}, firn);
    expect(chains.map((chain) => [chain.chainId, chain.chainName])).toEqual([
      [chainId, "dex"],
      ["43112", "Avalanche (C-Chain)"],
    ]);
    expect(await avalanche.data.evm.chains.get({ chainId }, firn)).toMatchObject({
      ...{ platformChainId: l1.blockchainId, subnetId: l1.subnetId, rpcUrl: l1.rpcUrl, wsUrl: l1.wsUrl },
      vmId: "srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy",
    });
    const pages = await avalanche.data.evm.address.transactions.list({ chainId, address: BOB, sortOrder: "asc" }, firn);
    const hashes: string[] = [];
    for await (const { result } of pages) hashes.push(...result.transactions.map(({ nativeTransaction }) => nativeTransaction.txHash));
    expect(hashes).toEqual([moved, paid]);
    const erc20 = await avalanche.data.evm.address.balances.listErc20({ chainId, address: BOB }, firn);
    for await (const { result } of erc20) expect(result.erc20TokenBalances).toMatchObject([{ address: coin, balance: "1250" }]);
    expect(await avalanche.data.evm.contracts.getDeploymentTransaction({ chainId, address: coin }, firn)).toMatchObject({
      nativeTransaction: { txHash: deployment, blockNumber: "1" },
    });
    const byId = await avalanche.data.evm.transactions.get({ chainId: l1.blockchainId, txHash: paid }, firn);
    expect(byId).toMatchObject({ nativeTransaction: { value: "7", chainId } });
    const list = await avalanche.data.primaryNetwork.listBlockchains({ pageSize: 1, network: "fuji" }, firn);
    for await (const { result } of list) {
      expect(result.blockchains).toMatchObject([{ blockchainName: "dex", evmChainId: 4321, subnetId: l1.subnetId }]);
      break;
    }
  });

  test("tells its subscribers of new heads", async () => {
    const socket = new WebSocket(l1.wsUrl);
    await once(socket, "open");
    const heard: string[] = [];
    const head = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        heard.push(String(data));
        if (heard.length === 1) void ask(l1.rpcUrl, "evm_mine");
        if (heard.length === 2) resolve();
      });
    });
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    await head;
    expect(JSON.parse(heard[1]!).params.result).toMatchObject({ blockGasCost: "0x0", number: expect.any(String) });
    socket.close();
  });

  test("answers what Subnet-EVM has, and not what only coreth has", async () => {
    const config = (await ask(l1.rpcUrl, "eth_getChainConfig")).result as Record<string, unknown>;
    expect(config).toMatchObject({ chainId: 4321, feeConfig: { gasLimit: 15_000_000 }, warpConfig: {}, upgrades: {}, londonBlock: 0 });
    expect((await ask(l1.rpcUrl, "eth_feeConfig")).result).toMatchObject({ feeConfig: { minBaseFee: 1_000_000_000 }, lastChangedAt: 0 });
    expect((await ask(l1.rpcUrl, "eth_baseFee")).result).toBe("0x3b9aca00");
    expect((await ask(l1.rpcUrl, "eth_suggestPriceOptions")).error?.message).toContain("does not exist/is not available");
    expect((await ask(l1.rpcUrl, "eth_getHeaderByNumber", "latest")).result).not.toHaveProperty("extDataHash");
    expect((await post(l1.rpcUrl.replace("/rpc", "/avax"), {})).status).toBe(404);
    expect((await fetch(l1.wsUrl.replace(/^ws/, "http"))).status).toBe(400);
  });

  test("whose chain does not run says why: at its RPC, in its list and in health, which stays good", async () => {
    const chainId = formatId(await (await SubnetMaker.open(network.devnet)).createChain(genesisOf(4321n), "taken"));
    const reason = "genesis: config.chainId is 4321, which another chain of this network has; use another one";
    const { error } = await ask(`${network.url}/ext/bc/${chainId}/rpc`, "eth_chainId");
    expect(error?.message).toBe(`the method eth_chainId is not available: the chain "taken" does not run here: ${reason}`);
    const { result } = await ask(network.urls.development, "firn.listL1s");
    expect((result as { l1s: object[] }).l1s).toMatchObject([
      { name: "dex", evmChainID: 4321, isUp: true, blockchainID: l1.blockchainId },
      { name: "taken", blockchainID: chainId, isUp: false, problem: reason },
    ]);
    let checks: Record<string, { message?: object; error?: string }> = {};
    await expect
      .poll(async () => {
        ({ checks } = (await (await fetch(`${network.url}/ext/health`)).json()) as { checks: typeof checks });
        return Object.keys(checks);
      })
      .toContain(chainId);
    expect(checks[chainId]).toMatchObject({ message: { chainName: "taken", isRunning: false, problem: reason } });
    expect(checks[chainId]!.error).toBeUndefined();
    expect(checks[l1.blockchainId]).toMatchObject({ message: { chainName: "dex", isRunning: true } });
  });
});
