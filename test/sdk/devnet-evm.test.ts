/** ethers and viem on the C-chain of a development network, over HTTP and WebSocket. */
import { Contract, ContractFactory, Wallet as EthersWallet, JsonRpcProvider, NonceManager, parseEther, WebSocketProvider } from "ethers";
import { createPublicClient, createWalletClient, defineChain, http, type PublicClient, type Transport, webSocket } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountNamed, evmAddress, ewoq, privateKeyHex } from "./devnet/accounts.ts";
import { COUNTER_ABI, COUNTER_BYTECODE } from "./devnet/counter.ts";
import { openWorld, type World } from "./devnet/world.ts";
import type { Anything } from "./wallet.ts";

const ada = accountNamed("ada");
const CHAIN_ID = 43112;

let world: World;
beforeAll(async () => {
  world = await openWorld([ada]);
});
afterAll(() => world?.stop());
afterEach(() => world.agreement.hold());

describe.each(["HTTP", "WebSocket"] as const)("ethers over %s", (transport) => {
  let provider: JsonRpcProvider | WebSocketProvider;
  let signer: EthersWallet;
  beforeAll(() => {
    const { C, cWebSocket } = world.network.urls;
    const options = { cacheTimeout: -1, pollingInterval: 50 };
    provider = transport === "HTTP" ? new JsonRpcProvider(C, undefined, options) : new WebSocketProvider(cWebSocket, undefined, options);
    signer = new EthersWallet(privateKeyHex(ewoq), provider);
  });
  afterAll(() => provider?.destroy());

  test("knows the chain", async () => {
    expect((await provider.getNetwork()).chainId).toBe(BigInt(CHAIN_ID));
    expect(await provider.getCode(evmAddress(ada))).toBe("0x");
  });

  test("sends value: what is paid is what arrives and the fee", async () => {
    const [payer, receiver] = [await provider.getBalance(signer.address), await provider.getBalance(evmAddress(ada))];
    const sent = await signer.sendTransaction({ to: evmAddress(ada), value: parseEther("12.5") });
    const receipt = (await sent.wait())!;
    expect(receipt.status).toBe(1);
    expect(await provider.getBalance(evmAddress(ada))).toBe(receiver + parseEther("12.5"));
    expect(await provider.getBalance(signer.address)).toBe(payer - parseEther("12.5") - receipt.gasUsed * receipt.gasPrice);
    const block = (await provider.getBlock(receipt.blockNumber))!;
    expect(block.transactions).toEqual([sent.hash]);
    expect(block.hash).toBe(receipt.blockHash);
    expect(block.parentHash).toBe((await provider.getBlock(receipt.blockNumber - 1))!.hash);
  });

  test("deploys a contract, calls it, reads its logs and is told of them", async () => {
    const factory = new ContractFactory(COUNTER_ABI, COUNTER_BYTECODE, signer);
    const deployed = await (await factory.deploy()).waitForDeployment();
    const counter: Anything = new Contract(await deployed.getAddress(), COUNTER_ABI, signer);
    expect(await counter.count()).toBe(0n);
    let told = 0n;
    counter.on("Incremented", (_by: string, count: bigint) => {
      told = count;
    });
    for (let i = 0; i < 2; i++) await (await counter.increment()).wait();
    expect(await counter.count()).toBe(2n);
    const logs = await counter.queryFilter(counter.filters.Incremented(signer.address));
    expect(logs.map(({ args }: Anything) => args.count)).toEqual([1n, 2n]);
    // it listens from some block on: there is one more until it has heard of one
    while (told === 0n) await (await counter.increment()).wait();
    expect(told).toBeLessThanOrEqual(await counter.count());
    await expect(provider.call({ to: await counter.getAddress(), data: "0x12345678" })).rejects.toThrow(/revert/);
    await counter.removeAllListeners();
  });

  test("estimates fees in the ways that clients ask for", async () => {
    const fees = await provider.getFeeData();
    expect(fees.maxFeePerGas).toBeGreaterThan(0n);
    const baseFee = BigInt(await provider.send("eth_baseFee", []));
    const { baseFeePerGas } = (await provider.getBlock("latest"))!;
    expect(baseFee).toBe(baseFeePerGas);
    expect(BigInt(await provider.send("eth_maxPriorityFeePerGas", []))).toBeGreaterThanOrEqual(0n);
    const history = await provider.send("eth_feeHistory", ["0x3", "latest", [50]]);
    expect(history.baseFeePerGas.length).toBeGreaterThan(1);
    for (const fee of history.baseFeePerGas) expect(BigInt(fee)).toBe(baseFee);
    expect(await provider.send("eth_suggestPriceOptions", [])).toHaveProperty("normal.maxFeePerGas");
    expect(await provider.send("eth_getChainConfig", [])).toMatchObject({ chainId: CHAIN_ID });
    expect(await provider.estimateGas({ from: signer.address, to: evmAddress(ada), value: 1n })).toBe(21_000n);
  });

  test("sends many at once with a nonce for each, and out of order", async () => {
    const manager = new NonceManager(signer);
    const first = await provider.getTransactionCount(signer.address);
    const sent = await Promise.all([1, 2, 3, 4, 5].map((value) => manager.sendTransaction({ to: evmAddress(ada), value })));
    expect((await Promise.all(sent.map((tx) => tx.wait()))).every((receipt) => receipt!.status === 1)).toBe(true);
    const nonce = first + 5;
    expect(await provider.getTransactionCount(signer.address)).toBe(nonce);
    const later = await signer.sendTransaction({ to: evmAddress(ada), value: 2n, nonce: nonce + 1 });
    expect(await provider.getTransactionReceipt(later.hash)).toBeNull();
    const sooner = await signer.sendTransaction({ to: evmAddress(ada), value: 1n, nonce });
    const receipts = await Promise.all([sooner, later].map((tx) => tx.wait()));
    expect(receipts.map((receipt) => receipt!.status)).toEqual([1, 1]);
    await expect(signer.sendTransaction({ to: evmAddress(ada), value: 1n, nonce })).rejects.toThrow(/nonce/);
  });
});

describe.each(["HTTP", "WebSocket"] as const)("viem over %s", (kind) => {
  const chain = defineChain({
    id: CHAIN_ID,
    name: "Local",
    nativeCurrency: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const account = privateKeyToAccount(privateKeyHex(ewoq));
  let transport: Transport;
  let client: PublicClient;
  beforeAll(() => {
    transport = kind === "HTTP" ? http(world.network.urls.C) : webSocket(world.network.urls.cWebSocket);
    client = createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 }) as PublicClient;
  });
  afterAll(async () => {
    if (kind === "WebSocket") (await (client as Anything).transport.getRpcClient()).close();
  });

  test("knows the chain, and sends value", async () => {
    expect(await client.getChainId()).toBe(CHAIN_ID);
    const wallet = createWalletClient({ account, chain, transport });
    const to = evmAddress(ada) as `0x${string}`;
    const before = await client.getBalance({ address: to });
    const hash = await wallet.sendTransaction({ to, value: 7n });
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe("success");
    expect(await client.getBalance({ address: to })).toBe(before + 7n);
  });

  test("deploys a contract, writes to it, and watches its events and the blocks", async () => {
    const wallet = createWalletClient({ account, chain, transport });
    const deployment = await wallet.deployContract({ abi: COUNTER_ABI, bytecode: COUNTER_BYTECODE });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment });
    const counter = { address: contractAddress!, abi: COUNTER_ABI };
    const heard: { count?: bigint; height?: bigint } = {};
    const stopWatching = client.watchContractEvent({
      ...counter,
      eventName: "Incremented",
      onLogs: ([log]) => {
        heard.count = log!.args.count!;
      },
    });
    const stopBlocks = client.watchBlockNumber({
      onBlockNumber: (height) => {
        heard.height = height;
      },
    });
    const increment = async () => {
      const hash = await wallet.writeContract({ ...counter, functionName: "increment" });
      return client.waitForTransactionReceipt({ hash });
    };
    const { blockNumber } = await increment();
    expect(await client.readContract({ ...counter, functionName: "count" })).toBe(1n);
    expect(await client.getContractEvents({ ...counter, fromBlock: blockNumber })).toHaveLength(1);
    // they listen from some block on: there is one more until they have heard of one
    while (heard.count === undefined || heard.height === undefined) await increment();
    expect(heard.count).toBeLessThanOrEqual(await client.readContract({ ...counter, functionName: "count" }));
    expect(heard.height).toBeLessThanOrEqual(await client.getBlockNumber());
    stopWatching();
    stopBlocks();
  });

  test("estimates fees", async () => {
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    expect(maxFeePerGas).toBeGreaterThanOrEqual(maxPriorityFeePerGas);
    expect((await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })).baseFeePerGas.length).toBeGreaterThan(1);
  });
});

test("blocks of the C-chain are the same in the Data API", async () => {
  const provider = new JsonRpcProvider(world.network.urls.C, CHAIN_ID, { staticNetwork: true });
  const height = await provider.getBlockNumber();
  const { blocks } = await world.wallet.ask("/blockchains/c-chain/blocks?pageSize=100");
  expect(blocks.length).toBe(Math.min(100, height + 1));
  for (const { blockNumber, blockHash, parentHash, blockTimestamp } of blocks) {
    const block = (await provider.getBlock(Number(blockNumber)))!;
    expect([blockHash, parentHash, blockTimestamp]).toEqual([block.hash, block.parentHash, block.timestamp]);
  }
  provider.destroy();
});
