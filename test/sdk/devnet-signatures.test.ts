/** Warp messages that a devnet's validators sign, through the official clients as they are. */
import { AvaCloudSDK } from "@avalabs/avacloud-sdk";
import { Glacier, Network } from "@avalabs/glacier-sdk";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { parseL1Message } from "../../src/chains/platform/warp/l1-messages.ts";
import { parseAddressedCall, parseWarpMessage, unsignedWarpBytes } from "../../src/chains/platform/warp/message.ts";
import { type LocalL1, type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";

let network: LocalNetwork;
let l1: LocalL1;

beforeAll(async () => {
  network = await startDevnet();
  l1 = await network.createL1({ name: "dex", evmChainId: 4321, validators: 2 });
});
afterAll(() => network?.stop());

async function signedByDevnet(params: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "firn.signWarpMessage", params });
  const response = await fetch(network.urls.development, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result } = (await response.json()) as { result: { message: string } };
  return result.message.slice(2);
}

const serverUrl = () => new URL(network.urls.dataApi).origin;

async function transactionOf(type: string): Promise<string> {
  const listed = await fetch(`${serverUrl()}/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100`);
  const { transactions } = (await listed.json()) as { transactions: { txHash: string; txType: string }[] };
  return transactions.find(({ txType }) => txType === type)!.txHash;
}

test("the answer to a conversion is signed by the L1's validators, asked for by its transaction or as a message", async () => {
  const here = { serverURL: serverUrl() };
  const { data } = new Avalanche({ network: "fuji", enableTelemetry: false });
  const txHash = await transactionOf("ConvertSubnetToL1Tx");
  const { signedMessage } = await data.signatureAggregator.get({ network: "fuji", txHash }, here);
  const message = parseWarpMessage(Buffer.from(signedMessage, "hex"));
  expect(parseL1Message(parseAddressedCall(message.payload).payload)).toMatchObject({ kind: "SubnetToL1Conversion" });

  const unsigned = unsignedWarpBytes(message).toString("hex");
  const justification = parseId(l1.subnetId);
  expect(await signedByDevnet({ message: `0x${unsigned}`, justification: `0x${justification}`, subnetID: l1.subnetId })).toBe(
    signedMessage,
  );
  const request = { message: unsigned, justification: `0x${justification}`, signingSubnetId: l1.subnetId };
  const aggregated = { signedMessage };
  expect(await data.signatureAggregator.aggregate({ network: "fuji", signatureAggregatorRequest: request }, here)).toEqual(aggregated);
  const avacloud = new AvaCloudSDK({ ...here, network: "fuji" });
  const { aggregate } = avacloud.data.signatureAggregator;
  expect(await aggregate.call(avacloud.data.signatureAggregator, { signatureAggregatorRequest: request }, here)).toEqual(aggregated);
  const glacier = new Glacier({ BASE: serverUrl() });
  expect(
    await glacier.signatureAggregator.aggregateSignatures({
      network: Network.FUJI,
      requestBody: { ...request, signingSubnetId: justification },
    }),
  ).toEqual(aggregated);
});

test.each([
  [{}, /message must be the unsigned warp message in hex/],
  [{ message: "0x1" }, /message must be hex, got/],
  [{ message: "00".repeat(40) }, /./],
  [{ message: "00", quorumPercentage: 90, quorumPercentageBuffer: 20 }, /must be 100 together at most/],
  [{ message: "00", pChainHeight: 5 }, /leave pChainHeight out/],
  [{ message: "00", signingSubnetId: "x" }, /signingSubnetId must be an ID/],
])("a request that cannot be signed is refused with a sentence: %j", async (body, message) => {
  const url = `${serverUrl()}/v1/signatureAggregator/fuji/aggregateSignatures`;
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  expect(response.status).toBe(400);
  expect(((await response.json()) as { message: string }).message).toMatch(message);
});

test("a transaction that the P-chain answers nothing to is refused, and one that is not there is not found", async () => {
  const txHash = await transactionOf("CreateSubnetTx");
  const statusOf = async (id: string) => (await fetch(`${serverUrl()}/v1/signatureAggregator/fuji/aggregateSignatures/${id}`)).status;
  expect(await statusOf(txHash)).toBe(400);
  expect(await statusOf("11111111111111111111111111111111LpoYY")).toBe(404);
});
