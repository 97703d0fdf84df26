/** Webhooks on a devnet, made and checked by the official clients as they are. */
import { AvaCloudSDK } from "@avalabs/avacloud-sdk";
import { isValidSignature } from "@avalabs/avacloud-sdk/utils/index.js";
import { Glacier } from "@avalabs/glacier-sdk";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { validateSignature } from "@avalanche-sdk/chainkit/utils/index.js";
import { createPublicClient, createWalletClient, type Hex, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { eventuallyHolds } from "../patience.ts";
import { type Receiver, startReceiver } from "../webhooks/receiver.ts";

let network: LocalNetwork;
let receiver: Receiver;

beforeAll(async () => {
  [network, receiver] = await Promise.all([startDevnet(), startReceiver()]);
});
afterAll(() => Promise.all([network?.stop(), receiver?.stop()]));

const WATCHED = "0x1111111111111111111111111111111111111111";

function evmClients() {
  const chain = {
    id: network.evmChainId,
    name: "C",
    nativeCurrency: { name: "", symbol: "", decimals: 18 },
    rpcUrls: { default: { http: [network.urls.C] } },
  };
  const account = privateKeyToAccount(network.accounts[3]!.privateKeyHex as Hex);
  const wallet = createWalletClient({ account, chain, transport: http(network.urls.C) });
  const reader = createPublicClient({ chain, transport: http(network.urls.C), pollingInterval: 20 });
  return { account, wallet, reader };
}

test("a transfer to a watched address is told of, signed, as chainkit and avacloud-sdk check it", async () => {
  const { webhooks } = new Avalanche({ network: "fuji", enableTelemetry: false });
  const serverURL = new URL(network.urls.dataApi).origin;
  const here = { serverURL };
  await expect(webhooks.getSharedSecret(here)).rejects.toThrow("no secret was made yet");
  const { secret } = await webhooks.generateOrRotateSharedSecret(here);
  expect(await webhooks.getSharedSecret(here)).toEqual({ secret });
  const made = await webhooks.create(
    {
      eventType: "address_activity",
      url: receiver.url,
      chainId: `${network.evmChainId}`,
      name: "mine",
      metadata: { addresses: [WATCHED] },
      includeLogs: true,
      includeInternalTxs: true,
    },
    here,
  );
  expect(made).toMatchObject({ status: "active", name: "mine", metadata: { addresses: [WATCHED] } });
  const { account, wallet, reader } = evmClients();
  await wallet.sendTransaction({ to: "0x2222222222222222222222222222222222222222", value: 1n });
  const hash = await wallet.sendTransaction({ to: WATCHED, value: parseEther("1.5") });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  const [got] = await receiver.first(1);
  const signature = got!.headers["x-signature"];
  expect(isValidSignature(secret, signature, JSON.parse(got!.body))).toBe(true);
  expect(validateSignature(secret, signature, JSON.parse(got!.body))).toBe(true);
  expect(isValidSignature(secret, signature, { ...got!.message, messageId: "other" })).toBe(false);
  const client = new Avalanche({ network: "fuji", enableTelemetry: false });
  const request = { body: got!.body, method: "POST", url: receiver.url, headers: got!.headers as Record<string, string> };
  // this check of chainkit takes the key's bytes as a text
  const message = await client.validateWebhook({ request, secret: Buffer.from(secret, "hex").toString() });
  expect(message).toMatchObject({
    webhookId: made.id,
    eventType: "address_activity",
    event: {
      transaction: {
        txHash: hash,
        from: account.address,
        to: WATCHED,
        value: `${parseEther("1.5")}`,
        txStatus: "1",
        blockNumber: `${receipt.blockNumber}`,
        receiptGasUsed: "21000",
        erc20Transfers: [],
        networkToken: { valueWithDecimals: "1.5" },
      },
      logs: [],
    },
  });
  const { deliveries } = (await (await fetch(`${serverURL}/v1/webhooks/${made.id}/deliveries`)).json()) as { deliveries: object[] };
  await eventuallyHolds(() => expect(receiver.received).toHaveLength(1));
  expect(deliveries).toMatchObject([{ messageId: got!.message.messageId, state: expect.any(String) }]);
});

test("webhooks are listed, changed, tested and switched off by glacier-sdk and avacloud-sdk", async () => {
  const serverURL = new URL(network.urls.dataApi).origin;
  const glacier = new Glacier({ BASE: serverURL });
  const { webhooks } = new AvaCloudSDK({ network: "fuji", serverURL });
  const [first] = (await glacier.webhooks.listWebhooks({})).webhooks!;
  const id = (first as { id: string }).id;
  expect(await glacier.webhooks.getWebhook({ id })).toEqual(first);
  const more = ["0x3333333333333333333333333333333333333333", "0x4444444444444444444444444444444444444444"];
  await glacier.webhooks.addAddressesToWebhook({ id, requestBody: { addresses: [...more, WATCHED] } });
  const listed: string[] = [];
  for await (const { result } of await webhooks.addresses.list({ id, pageSize: 2 }, { serverURL })) listed.push(...result.addresses);
  expect(listed).toEqual([WATCHED, ...more]);
  await webhooks.addresses.remove({ id, addressesChangeRequest: { addresses: [more[0]!] } }, { serverURL });
  expect((await glacier.webhooks.getAddressesFromWebhook({ id })).totalAddresses).toBe(2);
  expect(await glacier.webhooks.updateWebhook({ id, requestBody: { name: "renamed", includeLogs: false } })).toMatchObject({
    name: "renamed",
    includeLogs: false,
    includeInternalTxs: true,
  });
  const before = receiver.received.length;
  const tested = await (await fetch(`${serverURL}/v1/webhooks/${id}:test`, { method: "POST" })).json();
  expect(tested).toMatchObject({ state: "test", responseStatus: 200, attempts: 1 });
  expect(receiver.received[before]!.message).toMatchObject({ webhookId: id, event: { eventType: "test" } });
  expect(await webhooks.deactivate({ id }, { serverURL })).toMatchObject({ status: "inactive" });
  expect((await glacier.webhooks.listWebhooks({ status: "active" as never })).webhooks).toEqual([]);
});

test("what a revert takes back is told of as removed, and the webhook stays", async () => {
  const serverURL = new URL(network.urls.dataApi).origin;
  const { webhooks } = new Avalanche({ network: "fuji", enableTelemetry: false });
  const { wallet, reader } = evmClients();
  const snapshot = await network.snapshot();
  const made = await webhooks.create(
    { eventType: "address_activity", url: receiver.url, chainId: `${network.evmChainId}`, metadata: { addresses: [WATCHED] } },
    { serverURL },
  );
  const before = receiver.received.length;
  const hash = await wallet.sendTransaction({ to: WATCHED, value: 5n });
  await reader.waitForTransactionReceipt({ hash });
  await receiver.first(before + 1);
  await network.revert(snapshot);
  const again = await wallet.sendTransaction({ to: WATCHED, value: 6n });
  await reader.waitForTransactionReceipt({ hash: again });
  const [told, removed, next] = (await receiver.first(before + 3)).slice(before).map(({ message }) => message);
  expect(told).toMatchObject({ webhookId: made.id, event: { transaction: { txHash: hash } } });
  expect(removed).toMatchObject({ webhookId: made.id, event: { removed: true, transaction: { txHash: hash } } });
  expect(next).toMatchObject({ webhookId: made.id, event: { transaction: { txHash: again } } });
});
