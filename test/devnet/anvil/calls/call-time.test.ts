/** What time contracts see in calls: the last block's as on a node, and the clock's once somebody moved it. On a wall clock that stands still. */
import { beforeEach, describe, expect, test } from "vitest";
import { delay } from "../../../patience.ts";
import { NOW, StillClock } from "../../engine-network.ts";
import { EvmNetwork, FEES } from "../evm-network.ts";

const HOUR = 3600n;
/** TIMESTAMP, and RETURN of one word */
const TIME = { data: "0x4260005260206000f3" };
/** NUMBER, and the same */
const NUMBER = { data: "0x4360005260206000f3" };

/** Reverts before this time: PUSH4 time, TIMESTAMP, LT, PUSH1 11, JUMPI, STOP, JUMPDEST, PUSH1 0, DUP1, REVERT */
const from = (time: bigint) => ({ data: `0x63${time.toString(16).padStart(8, "0")}4210600b57005b600080fd` });

/** @param rest block and overrides */
async function timeSeen(network: EvmNetwork, ...rest: unknown[]): Promise<bigint> {
  const { result, error } = await network.answer("eth_call", TIME, ...rest);
  if (error !== undefined) throw new Error(error.message);
  return BigInt(result as string);
}

async function timeTraced(network: EvmNetwork, ...rest: unknown[]): Promise<bigint> {
  const [block, options] = rest as [unknown, object | undefined];
  const { result } = await network.answer("debug_traceCall", TIME, block ?? null, { tracer: "callTracer", ...options });
  return BigInt((result as { output: string }).output);
}

/** Whether a call succeeds that reverts before `time`. */
const isFrom = async (network: EvmNetwork, method: string, time: bigint, ...rest: unknown[]) =>
  (await network.answer(method, from(time), ...rest)).error === undefined;

const EWOQ = "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";
const LAST_BLOCKS = [[], [null], ["latest"], ["pending"]];

describe("after somebody moved the clock", () => {
  let network: EvmNetwork;
  let moved: bigint;
  beforeEach(async () => {
    network = await EvmNetwork.start();
    await network.devnet.mine();
    expect(await timeSeen(network)).toBe(NOW);
    await network.devnet.advanceTime(HOUR);
    moved = NOW + HOUR;
  });

  test.each(LAST_BLOCKS)("calls at the last block see its time at once: %j", async (...block) => {
    expect(await timeSeen(network, ...block)).toBe(moved);
    expect(await timeTraced(network, ...block)).toBe(moved);
    for (const method of ["eth_estimateGas", "eth_createAccessList"]) {
      expect([await isFrom(network, method, moved, ...block), await isFrom(network, method, moved + 1n, ...block)]).toEqual([true, false]);
    }
  });

  test.each(["earliest", "safe", "finalized", "0x1", { blockNumber: "0x1" }])("calls at the block %j see its own", async (block) => {
    expect(await timeSeen(network, block)).toBe(NOW);
    expect(await timeTraced(network, block)).toBe(NOW);
    for (const method of ["eth_estimateGas", "eth_createAccessList"]) expect(await isFrom(network, method, moved, block)).toBe(false);
  });

  test("what it fills in is the gas of that time, or what is wrong then", async () => {
    const transaction = { from: EWOQ, ...from(moved) };
    const { result } = await network.answer("eth_fillTransaction", transaction);
    const { gas } = (result as { readonly tx: { readonly gas: string } }).tx;
    expect(gas).toBe((await network.answer("eth_estimateGas", transaction)).result);
    expect((await network.answer("eth_fillTransaction", { from: EWOQ, ...from(moved + 1n) })).error?.message).toContain(
      "execution reverted",
    );
    // gas that the client gave stays
    const { result: given } = await network.answer("eth_fillTransaction", { ...transaction, gas: "0xfffff" });
    expect(given).toMatchObject({ tx: { gas: "0xfffff" } });
  });

  test("a client's own block overrides stay, and its own time wins", async () => {
    for (const name of ["time", "timestamp"]) expect(await timeSeen(network, "latest", {}, { [name]: "0x5" })).toBe(5n);
    expect(await timeTraced(network, "latest", { blockOverrides: { time: "0x5" } })).toBe(5n);
    expect(await isFrom(network, "eth_estimateGas", moved, "latest", null, { time: "0x5" })).toBe(false);
    expect(await timeSeen(network, "latest", null, { number: "0x99" })).toBe(moved);
    expect((await network.answer("eth_call", NUMBER, "latest", null, { number: "0x99" })).result).toMatch(/99$/);
    const code = { [`0x${"c0".repeat(20)}`]: { code: TIME.data } };
    const { result } = await network.answer("eth_call", { to: `0x${"c0".repeat(20)}` }, "latest", code);
    expect(BigInt(result as string)).toBe(moved);
  });

  test("what cannot be read is left to the EVM, which refuses it", async () => {
    for (const overrides of [5, "0x5", [["time", 5]]]) {
      expect((await network.answer("eth_call", TIME, "latest", null, overrides)).error?.message).toBeDefined();
    }
    expect((await network.answer("eth_call")).error?.message).toBeDefined();
  });
});

test("the next block has the new time, and from then on calls see the last block's, as on a node", async () => {
  const wallClock = new StillClock();
  const network = await EvmNetwork.start({ wallClock });
  await network.devnet.advanceTime(HOUR);
  await network.pay(`0x${"b0".repeat(20)}`, 1n);
  const { timestamp } = (await network.ask("eth_getBlockByNumber", "latest", false)) as { timestamp: string };
  expect(BigInt(timestamp)).toBe(NOW + HOUR);
  wallClock.now += 5_000_000_000n;
  expect(await timeSeen(network)).toBe(NOW + HOUR);
  await network.devnet.advanceTime(0n);
  expect(await timeSeen(network)).toBe(NOW + HOUR + 5n);
});

test("a time that was given to the next block is what calls see until then, and access lists do not hold it up", async () => {
  const wallClock = new StillClock();
  const network = await EvmNetwork.start({ wallClock });
  await network.devnet.setNextEvmTimestamp(NOW + HOUR);
  wallClock.now += 5_000_000_000n;
  expect(await timeSeen(network)).toBe(NOW + HOUR);
  expect(await isFrom(network, "eth_createAccessList", NOW + HOUR)).toBe(true);
  await network.devnet.mine();
  expect(await timeSeen(network, "0x1")).toBe(NOW + HOUR);
});

test("the next block may be given a time between the last one's and the clock's, which stays", async () => {
  const network = await EvmNetwork.start();
  const pay = async () => {
    await network.pay(`0x${"b0".repeat(20)}`, 1n);
    return BigInt(((await network.ask("eth_getBlockByNumber", "latest", false)) as { timestamp: string }).timestamp);
  };
  expect(await pay()).toBe(NOW);
  await network.devnet.advanceTime(HOUR);
  await network.devnet.setNextEvmTimestamp(NOW + 10n);
  expect(await timeSeen(network)).toBe(NOW + 10n);
  expect(network.devnet.clock.seconds()).toBe(NOW + HOUR);
  expect(await pay()).toBe(NOW + 10n);
  expect(await pay()).toBe(NOW + HOUR);
  await network.devnet.setNextEvmTimestamp(NOW + HOUR);
  expect(await pay()).toBe(NOW + HOUR);
  await expect(network.devnet.setNextEvmTimestamp(NOW + HOUR - 1n)).rejects.toThrow(
    `Timestamp ${NOW + HOUR - 1n} is lower than the previous block's timestamp ${NOW + HOUR}`,
  );
});

test("an access list is made for exactly the clock's time, however long ago it was asked for", async () => {
  const network = await EvmNetwork.start();
  await network.devnet.advanceTime(HOUR);
  expect(await isFrom(network, "eth_createAccessList", NOW + HOUR)).toBe(true);
  // the EVM's own clock goes on by a second, which nobody sees
  await delay(1_100);
  expect(await timeSeen(network)).toBe(NOW + HOUR);
  expect(await isFrom(network, "eth_createAccessList", NOW + HOUR + 1n)).toBe(false);
  await network.pay(`0x${"b0".repeat(20)}`, 1n);
  expect(await timeSeen(network)).toBe(NOW + HOUR);
  await network.devnet.advanceTime(HOUR);
  expect(await isFrom(network, "eth_createAccessList", NOW + 2n * HOUR)).toBe(true);
  await network.devnet.mine();
  expect(await timeSeen(network)).toBe(NOW + 2n * HOUR);
});

test("a revert forgets the time and the base fee that the next block was given", async () => {
  const network = await EvmNetwork.start({ wallClock: new StillClock() });
  const snapshot = await network.devnet.snapshot();
  await network.devnet.setNextEvmTimestamp(NOW + HOUR);
  await network.devnet.evmControls.setNextBaseFee(FEES.maxFeePerGas / 2n);
  await network.devnet.revert(snapshot);
  expect(await timeSeen(network)).toBe(NOW);
  await network.pay(`0x${"b0".repeat(20)}`, 1n);
  const { timestamp, baseFeePerGas } = (await network.ask("eth_getBlockByNumber", "latest", false)) as Record<string, string>;
  expect([BigInt(timestamp!), BigInt(baseFeePerGas!)]).toEqual([NOW, network.evm.spec.baseFeeAt(NOW)]);
});

test("the moved clock outlives the EVM, Firn and a revert", async () => {
  const wallClock = new StillClock();
  const network = await EvmNetwork.start({ wallClock });
  const before = await network.devnet.snapshot();
  await network.devnet.advanceTime(HOUR);
  const after = await network.devnet.snapshot();
  await network.evm.rebuild();
  expect(await timeSeen(network)).toBe(NOW + HOUR);
  await network.devnet.revert(before);
  expect(await timeSeen(network)).toBe(NOW);
  await network.devnet.revert(after);
  expect(await timeSeen(network)).toBe(NOW + HOUR);
  await network.devnet.stop();
  const again = await EvmNetwork.start({ wallClock, directory: network.directory });
  expect(await timeSeen(again)).toBe(NOW + HOUR);
});
