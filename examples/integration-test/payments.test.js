/** Integration tests against a whole local network: it starts in this process, and each test finds it as it was at first. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { addTxSignatures, Context, pvm, TransferableOutput, utils } from "@avalabs/avalanchejs";
import { startDevnet } from "firn-node";

const AVAX = 1_000_000_000n;
const bob = "P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2";

let network;
let fresh;
before(async () => {
  network = await startDevnet();
  fresh = await network.snapshot();
});
afterEach(() => network.revert(fresh));
after(() => network.stop());

async function dataApi(path) {
  const response = await fetch(`${network.urls.dataApi}/networks/local${path}`);
  return response.json();
}

async function call(url, method, params = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()).result;
}

test("a payment that the wallet signed is in the Data API at once", async () => {
  const [{ privateKeyHex, addresses }] = network.accounts;
  const owner = utils.bech32ToBytes(addresses.P);
  const api = new pvm.PVMApi(network.url);
  const context = await Context.getContextFromURI(network.url);
  const { utxos } = await api.getUTXOs({ addresses: [addresses.P] });
  const tx = pvm.newBaseTx(
    {
      feeState: await api.getFeeState(),
      fromAddressesBytes: [owner],
      outputs: [TransferableOutput.fromNative(network.avaxAssetId, 5n * AVAX, [utils.bech32ToBytes(bob)])],
      utxos,
    },
    context,
  );
  await addTxSignatures({ unsignedTx: tx, privateKeys: [utils.hexToBuffer(privateKeyHex)] });
  const { txID } = await api.issueSignedTx(tx.getSignedTx());

  const transaction = await dataApi(`/blockchains/p-chain/transactions/${txID}`);
  assert.equal(transaction.txType, "BaseTx");
  const { balances } = await dataApi(`/blockchains/p-chain/balances?addresses=${bob}`);
  assert.equal(balances.unlockedUnstaked[0].amount, `${5n * AVAX}`);
});

test("what one test does, the next one does not see", async () => {
  const { balances } = await dataApi(`/blockchains/p-chain/balances?addresses=${bob}`);
  assert.deepEqual(balances.unlockedUnstaked, []);
});

test("after a year the validators of genesis are gone, and the one that was away has no reward", async () => {
  const { validators } = await call(network.urls.P, "platform.getCurrentValidators");
  const [present, absent] = validators;
  await network.setUptime(absent.nodeID, 0.5);
  await network.advanceTime(366 * 86_400);

  assert.deepEqual((await call(network.urls.P, "platform.getCurrentValidators")).validators, []);
  const rewarded = async ({ txID }) => (await call(network.urls.P, "platform.getRewardUTXOs", { txID })).numFetched !== "0";
  assert.equal(await rewarded(present), true);
  assert.equal(await rewarded(absent), false);
});

test("the faucet pays on the C-chain too", async () => {
  const address = "0x1111111111111111111111111111111111111111";
  await network.fund(address, 2n * AVAX);
  assert.equal(BigInt(await call(network.urls.C, "eth_getBalance", [address, "latest"])), 2n * AVAX * 1_000_000_000n);
});
