/** After a revert no client sees anything that was undone, even if the chains reach the same heights again: caches depend on the branch. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { accountNamed, ewoq } from "../sdk/devnet/accounts.ts";
import { createAssetChain, genesisOf } from "../sdk/devnet/asset-chain.ts";
import { IssuingWallet } from "../sdk/devnet/issuing-wallet.ts";
import type { Anything } from "../sdk/wallet.ts";

const { avm, pvm }: Anything = avalanchejs;

const AVAX = 1_000_000_000n;
const DAY = 86_400n;
const FIRST = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
const ada = accountNamed("ada");

let network: LocalNetwork;
let wallet: IssuingWallet;
let subnetId: string;
let snapshotId: string;

beforeAll(async () => {
  network = await startDevnet({ hasEvm: false });
  wallet = await IssuingWallet.open(network.url);
  const owners = { subnetOwners: [ewoq.bytes], threshold: 1, locktime: 0n };
  subnetId = await wallet.issue("P", pvm.newCreateSubnetTx({ ...(await wallet.platform([ewoq])), ...owners }, wallet.context), [ewoq]);
  await transferOnX(AVAX);
});
afterAll(() => network?.stop());

/** Answers of every kind that is kept for a while, in both interfaces, as texts. */
async function picture(): Promise<Map<string, string>> {
  const p = `P-${ewoq.text}`;
  const calls: [path: string, method: string, params?: object][] = [
    ["/ext/bc/P", "platform.getHeight"],
    ["/ext/bc/P", "platform.getTimestamp"],
    ["/ext/bc/P", "platform.getCurrentValidators"],
    ["/ext/bc/P", "platform.getCurrentValidators", { nodeIDs: [FIRST] }],
    ["/ext/bc/P", "platform.getBlockchains"],
    ["/ext/bc/P", "platform.getSubnets"],
    ["/ext/bc/P", "platform.validates", { subnetID: subnetId }],
    ["/ext/bc/P", "platform.getCurrentSupply"],
    ["/ext/bc/P", "platform.getStake", { addresses: [p] }],
    ["/ext/bc/P", "platform.getValidatorsAt", { height: "proposed" }],
    ["/ext/bc/P", "platform.getUTXOs", { addresses: [p, `P-${ada.text}`] }],
    ["/ext/bc/X", "avm.getHeight"],
    ["/ext/bc/X", "avm.getAllBalances", { address: `X-${ada.text}` }],
    ["/ext/index/P/block", "index.getLastAccepted"],
    ["/ext/index/X/block", "index.getLastAccepted"],
  ];
  const gets = [
    "validators",
    "validators?validationStatus=completed&sortBy=blockIndex",
    "blockchains",
    "subnets",
    "blockchains/p-chain/transactions",
    "blockchains/p-chain/transactions:listStaking",
    "blockchains/x-chain/transactions",
    "blockchains/p-chain/blocks",
    `blockchains/p-chain/balances?addresses=${ewoq.text}`,
    `blockchains/x-chain/balances?addresses=${ada.text}`,
    `rewards?addresses=${ewoq.text}`,
  ].map((path) => `/v1/networks/fuji/${path}`);
  const answers = new Map<string, string>();
  for (const [path, method, params = {}] of calls) {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(network.url + path, { method: "POST", headers, body });
    const heights = ["P", "X"].map((chain) => response.headers.get(`Firn-Height-${chain}`));
    const text = await response.text();
    expect(text, method).toContain('"result"');
    answers.set(`${path} ${method} ${JSON.stringify(params)}`, `${heights} ${text}`);
  }
  for (const path of gets) {
    const response = await fetch(network.url + path);
    expect(response.status, path).toBe(200);
    answers.set(path, await response.text());
  }
  return answers;
}

/** The same number of blocks and transactions each time; only amounts and names differ, and what a validator gets in the end. */
async function goOn(amount: bigint, uptime: number): Promise<string> {
  const common = { ...(await wallet.platform([ewoq])), subnetId, subnetAuth: [0] };
  const unsigned = createAssetChain(common, wallet.context, genesisOf(ada, amount));
  const chainId = await wallet.issue("P", unsigned, [ewoq], [ewoq]);
  await transferOnX(amount);
  await network.setUptime(FIRST, uptime);
  await network.advanceTime(400n * DAY);
  return chainId;
}

async function transferOnX(amount: bigint): Promise<void> {
  const { utxos, from, options } = await wallet.assets([ewoq]);
  await wallet.issue("X", avm.newBaseTx(wallet.context, from, utxos, [wallet.output(amount, [ada])], options), [ewoq]);
}

async function chainAnswers(chainId: string): Promise<{ status: number; text: string; blockchainStatus: string }> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "avm.getAllBalances", params: { address: `${chainId}-${ada.text}` } });
  const response = await fetch(`${network.url}/ext/bc/${chainId}`, { method: "POST", headers, body });
  const { status } = await wallet.rpc.P.callRpc("getBlockchainStatus", { blockchainID: chainId });
  return { status: response.status, text: await response.text(), blockchainStatus: status };
}

/** What is the same in both branches: when and how many, not who and how much. */
const SAME = ["getHeight", "getTimestamp", "Validators", "getSubnets", "getStake", ":listStaking"];

const rewardOf = async () => {
  const response = await fetch(`${network.url}/v1/networks/fuji/validators/${FIRST}`);
  const { validators } = (await response.json()) as { validators: { rewards?: { validationRewardAmount: string } }[] };
  return BigInt(validators[0]!.rewards?.validationRewardAmount ?? "-1");
};

test("neither interface shows anything of an abandoned branch, in none of its answers that are kept", async () => {
  snapshotId = await network.snapshot();
  const before = await picture();
  const chainId = await goOn(5n * AVAX, 1);
  const after = await picture();
  for (const [asked, answer] of before) expect(after.get(asked), asked).not.toBe(answer);
  expect(await chainAnswers(chainId)).toMatchObject({ status: 200, text: expect.stringContaining(`"${5n * AVAX}"`) });
  expect(await rewardOf()).toBeGreaterThan(0n);

  await network.revert(snapshotId);
  expect(await picture()).toEqual(before);
  expect(await chainAnswers(chainId)).toMatchObject({ status: 404, blockchainStatus: "Unknown" });
  expect(await rewardOf()).toBe(-1n);

  const otherChainId = await goOn(7n * AVAX, 0);
  const other = await picture();
  const height = "/ext/bc/P platform.getHeight {}";
  expect(other.get(height)).toBe(after.get(height));
  expect(await rewardOf()).toBe(0n);
  expect(await chainAnswers(otherChainId)).toMatchObject({ status: 200, text: expect.stringContaining(`"${7n * AVAX}"`) });
  expect(await chainAnswers(chainId)).toMatchObject({ status: 404, blockchainStatus: "Unknown" });
  const same = [...after].filter(([asked, answer]) => other.get(asked) === answer).map(([asked]) => asked);
  expect(same.filter((asked) => !SAME.some((part) => asked.includes(part)))).toEqual([]);
});
