/** Messages between the C-chain and an L1 of a devnet, which its relayer delivers, as the official clients list and count them. */
import { AvaCloudSDK } from "@avalabs/avacloud-sdk";
import { Glacier } from "@avalabs/glacier-sdk";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { type Chain, createPublicClient, createWalletClient, getAddress, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { type LocalL1, type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { deploying } from "../devnet/anvil/precompiles/warp-actor.ts";
import { MESSENGER, sendingTo } from "../devnet/warp/messenger.ts";
import { eventuallyHolds } from "../patience.ts";

const UNKNOWN_CHAIN = "12".repeat(32);

let network: LocalNetwork;
let l1: LocalL1;
let cId: string;

beforeAll(async () => {
  network = await startDevnet();
  l1 = await network.createL1({ name: "dex", evmChainId: 4321, validators: 1 });
  const { result } = await rpc(network.urls.info, "info.getBlockchainID", { alias: "C" });
  cId = (result as { blockchainID: string }).blockchainID;
});
afterAll(() => network?.stop());

async function rpc(url: string, method: string, params: object): Promise<{ result: unknown }> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })).json() as Promise<{
    result: unknown;
  }>;
}

/** The same account has the same first contract on each chain. */
function clientOf(id: number, rpcUrl: string) {
  const chain: Chain = {
    id,
    name: `${id}`,
    nativeCurrency: { name: "", symbol: "", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  };
  const account = privateKeyToAccount(network.accounts[3]!.privateKeyHex as Hex);
  const wallet = createWalletClient({ account, chain, transport: http(rpcUrl) });
  const reader = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: 20 });
  const send = async (to: Hex | null, data: Hex) =>
    reader.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, data, gas: 1_000_000n }) });
  return { account, send };
}

test("messages are listed with both sides, counted, and found by their IDs, by chainkit, avacloud-sdk and glacier-sdk as they are", async () => {
  const [c, there] = [clientOf(network.evmChainId, network.urls.C), clientOf(l1.evmChainId, l1.rpcUrl)];
  const { contractAddress: messenger } = await c.send(null, deploying(MESSENGER));
  expect((await there.send(null, deploying(MESSENGER))).contractAddress).toBe(messenger);
  const sent = await c.send(messenger!, sendingTo(parseId(l1.blockchainId), 1, "0x1122"));
  await there.send(messenger!, sendingTo(parseId(cId), 2, "0x"));
  const unknown = await c.send(messenger!, sendingTo(UNKNOWN_CHAIN, 3, "0x"));
  // the L1's validators count with the next epoch, which blocks of the P-chain begin
  for (let i = 0; i < 2; i++) {
    await network.advanceTime(31);
    await network.mine();
  }
  const serverURL = new URL(network.urls.dataApi).origin;
  const { data, metrics } = new Avalanche({ network: "fuji", enableTelemetry: false });
  const { icm, teleporter } = data;
  // each method of chainkit has a server of its own
  const here = { serverURL };
  type Query = Parameters<typeof icm.list>[0];
  const listed = async (query: Query) => {
    const messages = [];
    for await (const { result } of await icm.list(query, here)) messages.push(...result.messages);
    return messages;
  };
  await eventuallyHolds(async () => expect((await listed({})).filter(({ status }) => status === "delivered")).toHaveLength(2));
  const messages = await listed({ pageSize: 2 });
  expect(messages.map(({ messageNonce }) => messageNonce).sort()).toEqual(["1", "2", "3"]);
  const [first, , third] = ["1", "2", "3"].map((nonce) => messages.find(({ messageNonce }) => messageNonce === nonce)!);
  expect(first).toMatchObject({
    ...{ sourceBlockchainId: cId, sourceEvmChainId: `${network.evmChainId}` },
    ...{ destinationBlockchainId: l1.blockchainId, destinationEvmChainId: "4321" },
    ...{ icmContractAddress: getAddress(messenger!), data: "0x1122", messageExecuted: true, receipts: [] },
    sourceTransaction: { txHash: sent.transactionHash, gasSpent: `${sent.gasUsed}` },
    destinationTransaction: { txHash: expect.stringMatching(/^0x/) },
  });
  expect(third).toMatchObject({ status: "pending", destinationEvmChainId: "", sourceTransaction: { txHash: unknown.transactionHash } });
  expect(await icm.get({ messageId: first!.messageId }, here)).toEqual(first);
  expect((await listed({ sourceBlockchainId: "4321" })).map(({ messageNonce }) => messageNonce)).toEqual(["2"]);
  const { messageId } = first!;
  expect(await teleporter.getTeleporterMessage({ messageId }, here)).toMatchObject({ status: "delivered", data: "0x1122" });
  for await (const { result } of await teleporter.listTeleporterMessages({ destinationBlockchainId: l1.blockchainId }, here))
    expect(result.messages).toMatchObject([{ messageId }]);
  const { address } = c.account;
  expect(await icm.listByAddress({ address }, here)).toMatchObject({ messages: [] });
  expect(await teleporter.listTeleporterMessagesByAddress({ address }, here)).toMatchObject({ messages: [] });

  const infoOf = async (chainId: string, { txHash }: { txHash: string }) =>
    (await data.evm.transactions.get({ chainId, txHash }, here)).teleporterMessageInfo;
  if (first?.status !== "delivered") throw new Error("the message is not delivered");
  expect(await infoOf(`${network.evmChainId}`, first.sourceTransaction)).toEqual({
    ...{ teleporterMessageId: messageId, direction: "SOURCE_TRANSACTION", destinationChainId: l1.blockchainId },
  });
  expect(await infoOf("4321", first.destinationTransaction)).toEqual({
    teleporterMessageId: messageId,
    direction: "DESTINATION_TRANSACTION",
    sourceChainId: cId,
  });

  const { result: summary } = await metrics.chains.getICMSummary({ srcBlockchainId: cId }, here);
  expect(summary).toMatchObject({ allTime: 2, srcBlockchainId: cId, destBlockchainId: "" });
  const byPair = { groupBy: "srcBlockchainId,destBlockchainId", timeInterval: "month" } as const;
  const { results } = await metrics.chains.getICMTimeseries(byPair, here);
  expect(results.map(({ value }) => value)).toEqual([1, 1, 1]);

  const avacloud = new AvaCloudSDK({ serverURL, chainId: "4321", network: "fuji" });
  expect(await avacloud.metrics.chains.getTeleporterMetrics({ metric: "teleporterTotalTxnCount" }, here)).toEqual({ result: { value: 2 } });
  const glacier = new Glacier({ BASE: serverURL });
  expect((await glacier.teleporter.listTeleporterMessages({ blockchainId: cId })).messages).toHaveLength(3);
});
