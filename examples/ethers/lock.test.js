/** Tests of a contract with ethers. The network starts in this process, and each test finds it as it was at first. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { ContractFactory, JsonRpcProvider, JsonRpcSigner, NonceManager, parseEther, toQuantity, Wallet } from "ethers";
import { startDevnet } from "firn-node";
import { compile } from "./compile.js";

const YEAR = 365 * 24 * 60 * 60;
const BOB = "0x00000000000000000000000000000000000B0b00";
const { abi, bytecode } = compile("Lock");

let network;
let provider;
let owner;
let snapshot;
let lock;

before(async () => {
  network = await startDevnet();
  // Without a cache, which would show answers from before a move of the clock
  provider = new JsonRpcProvider(network.urls.C, network.evmChainId, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 });
});
after(async () => {
  provider.destroy();
  await network.stop();
});

beforeEach(async () => {
  snapshot = await provider.send("evm_snapshot", []);
  owner = new NonceManager(new Wallet(network.accounts[0].privateKeyHex, provider));
  const { timestamp } = await provider.getBlock("latest");
  lock = await new ContractFactory(abi, bytecode, owner).deploy(timestamp + YEAR, { value: parseEther("5") });
  await lock.waitForDeployment();
});
afterEach(() => provider.send("evm_revert", [snapshot]));

/** Throws what the contract answers. */
const withdraw = async (contract = lock) => (await contract.withdraw()).wait();

test("the owner waits for a year", async () => {
  await assert.rejects(lock.withdraw.staticCall(), ({ revert }) => revert.name === "TooEarly");

  await provider.send("evm_increaseTime", [YEAR]);
  await withdraw();
  assert.equal(await provider.getBalance(lock), 0n);
});

test("the event has the time that the next block was given", async () => {
  const unlockTime = await lock.unlockTime();
  await provider.send("evm_setNextBlockTimestamp", [toQuantity(unlockTime)]);
  const { blockNumber } = await withdraw();
  const [{ args }] = await lock.queryFilter("Withdrawn", blockNumber);
  assert.deepEqual([...args], [parseEther("5"), unlockTime]);
});

test("nobody else can withdraw", async () => {
  await provider.send("hardhat_setBalance", [BOB, toQuantity(parseEther("1"))]);
  await provider.send("hardhat_impersonateAccount", [BOB]);
  await provider.send("evm_increaseTime", [YEAR]);
  const bob = new JsonRpcSigner(provider, BOB);
  await assert.rejects(lock.connect(bob).withdraw(), ({ data }) => lock.interface.parseError(data).name === "NotOwner");
});

test("what it did is in the Data API at once", async () => {
  await provider.send("evm_increaseTime", [YEAR]);
  const { hash } = await withdraw();
  const response = await fetch(`${network.urls.dataApi}/chains/${network.evmChainId}/transactions/${hash}`);
  const { internalTransactions } = await response.json();
  const [paid] = internalTransactions.filter(({ from }) => from.address === lock.target);
  assert.equal(paid.value, `${parseEther("5")}`);
});

test("a year passes on the P-chain, too: the validators of genesis have their rewards", async () => {
  await provider.send("evm_increaseTime", [YEAR]);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getCurrentValidators", params: {} });
  const response = await fetch(network.urls.P, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.deepEqual((await response.json()).result.validators, []);
});
