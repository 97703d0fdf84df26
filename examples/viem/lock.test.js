/** Tests of a contract with viem's test client. The network starts in this process, and each test finds it as it was at first. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { startDevnet } from "firn-node";
import { createTestClient, getAddress, http, parseEther, publicActions, walletActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { compile } from "./compile.js";

const YEAR = 365 * 24 * 60 * 60;
const BOB = "0x00000000000000000000000000000000000B0b00";
const { abi, bytecode } = compile("Lock");

let network;
let client;
let snapshot;
let lock;

before(async () => {
  network = await startDevnet();
  const account = privateKeyToAccount(network.accounts[0].privateKeyHex);
  client = createTestClient({ account, chain: network.chain, mode: "anvil", transport: http() })
    .extend(publicActions)
    .extend(walletActions);
});
after(() => network.stop());

beforeEach(async () => {
  snapshot = await client.snapshot();
  const { timestamp } = await client.getBlock();
  const hash = await client.deployContract({ abi, bytecode, args: [timestamp + BigInt(YEAR)], value: parseEther("5") });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  lock = { abi, address: getAddress(contractAddress) };
});
afterEach(() => client.revert({ id: snapshot }));

/** Throws what the contract answers. */
const send = async (request) => client.waitForTransactionReceipt({ hash: await client.writeContract(request) });

test("the owner waits for a year", async () => {
  await assert.rejects(send({ ...lock, functionName: "withdraw" }), /TooEarly/);

  await client.increaseTime({ seconds: YEAR });
  await send({ ...lock, functionName: "withdraw" });
  assert.equal(await client.getBalance({ address: lock.address }), 0n);
});

test("the next block has the time that was asked for", async () => {
  const unlockTime = await client.readContract({ ...lock, functionName: "unlockTime" });
  await client.setNextBlockTimestamp({ timestamp: unlockTime });
  const { blockNumber } = await send({ ...lock, functionName: "withdraw" });
  assert.equal((await client.getBlock({ blockNumber })).timestamp, unlockTime);
});

test("nobody else can withdraw", async () => {
  await client.setBalance({ address: BOB, value: parseEther("1") });
  await client.impersonateAccount({ address: BOB });
  await client.increaseTime({ seconds: YEAR });
  await assert.rejects(send({ ...lock, account: BOB, functionName: "withdraw" }), /NotOwner/);
});

test("what it did is in the Data API at once", async () => {
  await client.increaseTime({ seconds: YEAR });
  const { transactionHash } = await send({ ...lock, functionName: "withdraw" });
  const response = await fetch(`${network.urls.dataApi}/chains/${network.evmChainId}/transactions/${transactionHash}`);
  const { internalTransactions } = await response.json();
  assert.equal(internalTransactions.find(({ from }) => from.address === lock.address).value, `${parseEther("5")}`);
});

test("a year passes on the P-chain, too: the validators of genesis have their rewards", async () => {
  await client.increaseTime({ seconds: YEAR });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getCurrentValidators", params: {} });
  const response = await fetch(network.urls.P, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.deepEqual((await response.json()).result.validators, []);
});
