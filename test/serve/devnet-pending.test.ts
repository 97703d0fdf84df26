/** With a block time, transactions wait: what both APIs return about them until they are in a block. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call } from "../devnet/json-rpc.ts";
import { PlainWallet, type SignedIssue } from "../devnet/load/plain-wallet.ts";
import { accountNamed, ewoq } from "../sdk/devnet/accounts.ts";
import { createAssetChain, genesisOf } from "../sdk/devnet/asset-chain.ts";
import { type Anything, contextOf, Wallet } from "../sdk/wallet.ts";

const { pvm }: Anything = avalanchejs;

const AVAX = 1_000_000_000n;
const RECEIVER = "11".repeat(20);
const A_DAY_MS = 86_400_000;

let network: LocalNetwork;
let wallet: PlainWallet;

beforeAll(async () => {
  network = await startDevnet({ hasEvm: false, blockTimeMs: A_DAY_MS });
  wallet = new PlainWallet(network, EWOQ_KEY);
});
afterAll(() => network?.stop());

const issue = (signed: SignedIssue) => call(network.url, signed);

async function transfer(chain: "P" | "X", amount: bigint): Promise<SignedIssue> {
  const coins = await wallet.coins(network.url, chain);
  return wallet.transfer(chain, coins.slice(0, 1), [{ to: RECEIVER, amount }])!;
}

async function statusOf(chain: "P" | "X", txID: string): Promise<unknown> {
  const method = chain === "P" ? "platform.getTxStatus" : "avm.getTxStatus";
  return ((await call(network.url, { path: `/ext/bc/${chain}`, method, params: { txID } })).result as { status: unknown }).status;
}

const mine = async () => (await call(network.url, { path: "/ext/firn", method: "firn.mine", params: {} })).result;

test.each([
  ["P", "Committed", "Dropped"],
  ["X", "Accepted", "Rejected"],
] as const)("on %s it is processing until it is mined, issued twice or not; a rival is refused", async (chain, accepted, refused) => {
  const [signed, rival] = [await transfer(chain, AVAX), await transfer(chain, 2n * AVAX)];
  expect((await issue(signed)).result).toEqual({ txID: signed.txId });
  expect(await statusOf(chain, signed.txId)).toBe("Processing");
  expect((await issue(signed)).result).toEqual({ txID: signed.txId });
  expect((await issue(rival)).error?.message).toMatch(/tx conflicts with other tx/);
  expect(await statusOf(chain, signed.txId)).toBe("Processing");
  await mine();
  expect(await statusOf(chain, signed.txId)).toBe(accepted);
  expect(await statusOf(chain, rival.txId)).toBe(refused);
});

test("a blockchain is preferred until the block that creates it, and then runs here", async () => {
  const builder = new Wallet(network.url, await contextOf(network.url, ewoq));
  const send = async (unsigned: Anything) => {
    let txId = "";
    builder.acceptsText = async (_, tx) => {
      txId = (await builder.rpc.P.issueTx({ tx })).txID;
    };
    await builder.acceptsBuilt("P", unsigned, [ewoq], [ewoq]);
    return txId;
  };
  const owners = { subnetOwners: [ewoq.bytes], threshold: 1, locktime: 0n };
  const subnetId = await send(pvm.newCreateSubnetTx({ ...(await builder.platform([ewoq])), ...owners }, builder.context));
  await mine();
  const common = { ...(await builder.platform([ewoq])), subnetId, subnetAuth: [0] };
  const chainId = await send(createAssetChain(common, builder.context, genesisOf(accountNamed("ada"), AVAX)));
  const status = async () => (await builder.rpc.P.callRpc("getBlockchainStatus", { blockchainID: chainId })).status;
  const path = `/ext/bc/${chainId}`;
  expect(await status()).toBe("Preferred");
  expect((await fetch(network.url + path, { method: "POST" })).status).toBe(404);
  await mine();
  expect(await status()).toBe("Syncing");
  expect((await call(network.url, { path, method: "avm.getHeight", params: {} })).result).toEqual({ height: "0" });
  expect((await call(network.url, { path: "/ext/info", method: "info.isBootstrapped", params: { chain: chainId } })).result).toEqual({
    isBootstrapped: true,
  });
});
