import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { evmChainStates, evmUntraced } from "../../src/evm/index/tables.ts";
import { scanAll } from "../../src/store/store.ts";
import { EvmNetwork, FEES } from "./anvil/evm-network.ts";

const MIB = 2 ** 20;
const CHAIN = { chain: 0 };
const BOB = `0x${"ab".repeat(20)}`;

/** Code of a contract that is being made: it calls an empty account so many times, each time with 400 kB. 400 calls take 456,596 gas. */
function calls(count: number): `0x${string}` {
  return `0x61${count.toString(16).padStart(4, "0")}5b6000600062061a80600061dead5afa50600190038060035700`;
}

async function network(evmMemoryBytes: number): Promise<EvmNetwork> {
  const started = await EvmNetwork.start({}, { evm: { limits: { ...DEFAULT_LIMITS, evmMemoryBytes } } });
  await started.evm.ready();
  return started;
}

async function send(to: EvmNetwork, data: `0x${string}`): Promise<string> {
  return to.send(await to.sign({ ...FEES, type: "eip1559", nonce: 0, data, gas: 1_000_000n }));
}

/** The index, and where it lacks traces, after one more block. */
async function afterAnotherBlock(one: EvmNetwork) {
  await one.evm.ready();
  const paid = await one.pay(BOB, 1n);
  const { store, evmChain } = one.devnet;
  const untraced = [];
  for await (const { key } of scanAll(store, evmUntraced)) untraced.push(key);
  const isPaid = (await one.ask("eth_getTransactionReceipt", paid)) !== null;
  return { isPaid, problem: evmChain!.problem, height: (await store.get(evmChainStates, CHAIN))?.height, untraced };
}

const GOES_ON = { isPaid: true, problem: undefined };

describe("the index of a devnet's C-chain, whatever a cheap transaction does,", () => {
  test("has a block whose traces are 320 MB of JSON", async () => {
    const one = await network(2048 * MIB);
    await send(one, calls(400));
    expect(await afterAnotherBlock(one)).toEqual({ ...GOES_ON, height: 2n, untraced: [] });
  });

  test("has a block without its traces if the EVM dies of being asked for them", async () => {
    const one = await network(512 * MIB);
    const hash = await send(one, calls(600));
    expect(await afterAnotherBlock(one)).toEqual({ ...GOES_ON, height: 2n, untraced: [{ ...CHAIN, height: 1n, index: 0 }] });
    expect(await one.ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  });

  test("goes on without transactions of which the EVM dies whenever a block has them", async () => {
    const one = await network(512 * MIB);
    const hash = await send(one, calls(2000));
    expect(await afterAnotherBlock(one)).toEqual({ ...GOES_ON, height: 1n, untraced: [] });
    expect(await one.ask("eth_getTransactionReceipt", hash)).toBeNull();
  });
});

test("the pool of a devnet's C-chain forgets only the transaction of which the EVM dies", async () => {
  const one = await network(512 * MIB);
  const { address } = one.account;
  const pays = async (nonce: number) => one.sign({ ...FEES, type: "eip1559", nonce, to: BOB as `0x${string}`, value: 1n, gas: 21_000n });
  // they wait for the nonce before theirs
  const waiting = [await one.send(await pays(2)), await one.send(await pays(3))];
  const deadly = await send(one, calls(2000));
  while ((await one.ask("eth_getTransactionByHash", deadly)) !== null) await one.evm.ready();
  for (const nonce of [0, 1]) await one.send(await pays(nonce));
  expect(await one.nonce(address)).toBe(4);
  for (const hash of waiting) expect(await one.ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
});
