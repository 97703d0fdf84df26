/** Precompiles that the genesis of an L1 turns on: who may mint, and who may send transactions. */
import { encodeFunctionData, type Hex, padHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { accountKeys } from "../../src/devnet/account-keys.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { startNetwork } from "./engine-network.ts";
import { BOB, ewoqAccount, genesisOf, L1Client, SubnetMaker } from "./l1-network.ts";

const abi = parseAbi([
  "function mintNativeCoin(address addr, uint256 amount)",
  "function setNone(address addr)",
  "function readAllowList(address addr) view returns (uint256 role)",
]);
const MINTER = "0x0200000000000000000000000000000000000001";
const LIST = "0x0200000000000000000000000000000000000002";
const OWN = ewoqAccount.address;

async function start(): Promise<{ devnet: Devnet; directory: string }> {
  const started = await startNetwork({}, { evm: {}, accountKeys: accountKeys({}) });
  await started.devnet.evm!.ready();
  return started;
}

async function createChain(devnet: Devnet, config: object): Promise<L1Client> {
  const chainId = await (await SubnetMaker.open(devnet)).createChain(genesisOf(4321n, config));
  return new L1Client(devnet, chainId);
}

test("a native minter mints at genesis and for those with a role, also after a restart of its EVM", async () => {
  const { devnet } = await start();
  const config = { blockTimestamp: 0, enabledAddresses: [OWN], initialMint: { [BOB]: "0x64" } };
  const l1 = await createChain(devnet, { contractNativeMinterConfig: config });
  expect(await l1.balance(BOB)).toBe(100n);
  const data = encodeFunctionData({ abi, functionName: "mintNativeCoin", args: [BOB, 23n] });
  const hash = await l1.pay(0n, { to: MINTER, data, gas: 300_000n });
  expect(await l1.ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  expect(await l1.balance(BOB)).toBe(123n);
  await l1.evm.rebuild();
  await l1.evm.ready();
  expect(await l1.balance(BOB)).toBe(123n);
  expect(await l1.ask("eth_getStorageAt", MINTER, padHex(OWN, { size: 32 }), "latest")).toBe(padHex("0x1", { size: 32 }));
});

test("a chain with a list of senders takes transactions of nobody else", async () => {
  const { devnet } = await start();
  const l1 = await createChain(devnet, { txAllowListConfig: { blockTimestamp: 0, adminAddresses: [OWN] } });
  const data = encodeFunctionData({ abi, functionName: "readAllowList", args: [OWN] });
  expect(BigInt((await l1.ask("eth_call", { to: LIST, data }, "latest")) as Hex)).toBe(2n);
  expect(await l1.pay(7n)).toMatch(/^0x[0-9a-f]{64}$/);
  await l1.pay(0n, { to: LIST, data: encodeFunctionData({ abi, functionName: "setNone", args: [OWN] }), gas: 100_000n });
  expect(await l1.pay(7n)).toBe(`cannot issue transaction from non-allow listed address: ${OWN}`);
  expect(await l1.balance(BOB)).toBe(7n);
  expect(await l1.ask("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
});
