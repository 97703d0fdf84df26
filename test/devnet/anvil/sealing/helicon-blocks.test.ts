/** What a devnet's blocks show since Helicon: which block they settle, by the rule that a node's recorded blocks keep to, and the price. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change } from "../../../../src/base/table/table.ts";
import { evmCall } from "../../../../src/devnet/anvil/evm-call.ts";
import { newestSettled } from "../../../../src/devnet/anvil/sealing/helicon-blocks.ts";
import { excessFor, exponentFor, priceOf } from "../../../../src/devnet/anvil/sealing/minimum-price.ts";
import { evmPriceExponents } from "../../../../src/devnet/anvil/tables.ts";
import { readLines } from "../../../conformance/json-lines.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { startNetwork } from "../../engine-network.ts";
import { EvmNetwork } from "../evm-network.ts";

const TAU = 5n;
const STEP = 80_063_993_375_475n;
/** gas per second of a chain whose target is the least one */
const RATE = 2_000_000n;
const WHO = `0x${"b0".repeat(20)}`;

type BlockJson = Readonly<Record<string, string>>;

const ask = async ({ evm }: EvmNetwork, method: string, ...params: unknown[]) =>
  JSON.parse((await evm.forward(evmCall(1, method, params))).toString()).result;
const blockAt = (network: EvmNetwork, height: bigint): Promise<BlockJson> =>
  ask(network, "eth_getBlockByNumber", `0x${height.toString(16)}`, false);

test("a node's recorded blocks settle the newest one that was executed 5 seconds before", async () => {
  const recorded = [...readLines<{ block: BlockJson }>(recordingFolder("evm-helicon-1"), "C.jsonl")].map(({ block }) => block);
  const number = (block: BlockJson, name: string) => BigInt(block[name]!);
  // when a block was executed, in gas of the clock, is told by those that settle it; of others, that it was before the next such one
  const executed = new Map(recorded.map((block) => [number(block, "settledHeight"), clockOf(block)]));
  const executedBy = (height: bigint): bigint | undefined => executed.get(height) ?? (height < 200n ? executedBy(height + 1n) : undefined);
  for (const block of recorded.slice(1)) {
    const limit = (number(block, "timestampMilliseconds") * RATE) / 1000n - TAU * RATE;
    const settled = await newestSettled(number(block, "number"), async (height) => (executedBy(height) ?? limit + 1n) <= limit);
    expect(settled, `of block ${block.number}`).toBe(number(block, "settledHeight"));
  }
  function clockOf(block: BlockJson): bigint {
    return number(block, "settledGasUnix") * RATE + number(block, "settledGasNumerator");
  }
});

test("the newest settled block is found wherever it is, with few questions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 1n, max: 100_000n }), fc.nat(), async (height, near) => {
      const settled = height - 1n - (BigInt(near) % height);
      let asked = 0;
      const found = await newestSettled(height, async (at) => {
        asked++;
        return at <= settled;
      });
      expect(found).toBe(settled);
      expect(asked).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(Number(height - settled) + 1)) + 2);
    }),
  );
});

test("a devnet's blocks settle the newest one that is 5 seconds older, and show its time", async () => {
  const network = await EvmNetwork.start();
  const secondsBefore = [0n, 0n, 2n, 3n, 0n, 1n, 4n, 5n, 6n, 0n, 5n, 1n, 1n, 1n, 1n, 1n];
  for (const seconds of secondsBefore) {
    if (seconds > 0n) await network.devnet.advanceTime(seconds);
    await network.pay(WHO, 1n);
  }
  const blocks = await Promise.all([0, ...secondsBefore].map((_, height) => blockAt(network, BigInt(height))));
  const timeOf = (height: number) => BigInt(blocks[height]!.timestamp!);
  for (const [height, block] of blocks.entries()) {
    const old = Array.from({ length: height }, (_, at) => at).filter((at) => at === 0 || timeOf(at) <= timeOf(height) - TAU);
    // genesis settles nothing
    const settled = old.at(-1) ?? 0;
    const shown = { targetExponent: 0n, minPriceExponent: 0n, settledHeight: BigInt(settled), settledGasUnix: height && timeOf(settled) };
    const numbers = { ...shown, settledGasNumerator: 0n, settledExcess: 0n, minDelayExcess: 7_970_124n };
    for (const [name, value] of Object.entries(numbers)) expect(BigInt(block[name]!), `${name} of ${height}`).toBe(BigInt(value));
  }
  expect(new Set(blocks.map(({ settledHeight }) => settledHeight)).size).toBeGreaterThan(4);
});

test("blocks from before Helicon show none of it, and the last of them is settled at once", async () => {
  const { devnet, directory } = await startNetwork({ upgrades: "granite,helicon=+100s" }, { evm: {} });
  const network = EvmNetwork.of(devnet, directory);
  await network.pay(WHO, 1n);
  await devnet.advanceTime(98n);
  await network.pay(WHO, 1n);
  await devnet.advanceTime(2n);
  for (let payment = 0; payment < 2; payment++) await network.pay(WHO, 1n);
  const [, first, last, helicon, next] = await Promise.all([0n, 1n, 2n, 3n, 4n].map((height) => blockAt(network, height)));
  for (const older of [first!, last!]) {
    expect(older).toHaveProperty("minDelayExcess");
    expect(older).not.toHaveProperty("settledHeight");
    expect(older).not.toHaveProperty("minPriceExponent");
  }
  for (const newer of [helicon!, next!]) expect(newer).toMatchObject({ settledHeight: "0x2", settledGasUnix: last!.timestamp });
});

describe("towards a minimum price", () => {
  const MIN_GAS_PRICE = 2n;
  const exponentsOf = async (network: EvmNetwork, heights: readonly bigint[]) =>
    (await Promise.all(heights.map((height) => blockAt(network, height)))).map(({ minPriceExponent }) => BigInt(minPriceExponent!));

  test("a network that has no block yet begins with it, and keeps it", async () => {
    const price = 25_000_000_000n;
    const { devnet, directory, wallClock } = await startNetwork({}, { evm: { minGasPrice: price } });
    const network = EvmNetwork.of(devnet, directory);
    const exponents = Array<bigint>(3).fill(exponentFor(price));
    expect(await exponentsOf(network, [0n])).toEqual(exponents.slice(0, 1));
    // a commit without a block
    await devnet.evmControls.edit([{ kind: "balance", address: WHO.slice(2), value: 5n }]);
    await devnet.mineEvm(2, 1n);
    expect(await exponentsOf(network, [0n, 1n, 2n])).toEqual(exponents);
    expect(BigInt((await blockAt(network, 1n)).baseFeePerGas!)).toBe(priceOf(exponents[0]!));
    await devnet.stop();
    const again = EvmNetwork.of((await startNetwork({ directory, wallClock }, { evm: {} })).devnet, directory);
    expect(await exponentsOf(again, [0n, 1n, 2n])).toEqual(exponents);
  });

  test("each block goes a step, also of one commit, after a restart, and after a revert", async () => {
    const { devnet: old, directory, wallClock } = await startNetwork({}, { evm: {} });
    await old.mineEvm(1, 1n);
    await old.stop();
    const { devnet } = await startNetwork({ directory, wallClock }, { evm: { minGasPrice: MIN_GAS_PRICE } });
    const network = EvmNetwork.of(devnet, directory);
    const before = await devnet.snapshot();
    await devnet.mineEvm(3, 1n);
    await network.pay(WHO, 1n);
    expect(await exponentsOf(network, [1n, 2n, 3n, 4n, 5n])).toEqual([0n, STEP, 2n * STEP, 3n * STEP, 4n * STEP]);
    await devnet.stop();
    // a builder that wants no other price keeps what the chain has
    const again = EvmNetwork.of((await startNetwork({ directory, wallClock }, { evm: {} })).devnet, directory);
    await again.pay(WHO, 1n);
    expect(await exponentsOf(again, [5n, 6n])).toEqual([4n * STEP, 4n * STEP]);
    await again.devnet.revert(before);
    await again.pay(WHO, 1n);
    expect(await exponentsOf(again, [2n])).toEqual([0n]);
  });

  test("the base fee is the parent's minimum, and so are the prices that are asked for", async () => {
    const { devnet, directory, wallClock } = await startNetwork({}, { evm: { minGasPrice: MIN_GAS_PRICE } });
    await EvmNetwork.of(devnet, directory).pay(WHO, 1n);
    const { chainId } = devnet.evm!.spec;
    // 3,600 blocks take long, so the chain is put near to the price
    const exponent = 288_230_376_151_711_749n - STEP;
    await devnet.store.commit([{ table: evmPriceExponents, key: { chainId, height: 1n }, value: { exponent } } as Change]);
    await devnet.stop();
    const { devnet: next } = await startNetwork({ directory, wallClock }, { evm: { minGasPrice: MIN_GAS_PRICE } });
    const network = EvmNetwork.of(next, directory);
    expect(await next.evm!.baseFee()).toBe(1n);
    await network.pay(WHO, 1n);
    expect(await blockAt(network, 2n)).toMatchObject({ baseFeePerGas: "0x1", minPriceExponent: `0x${(exponent + STEP).toString(16)}` });
    expect(await next.evm!.baseFee()).toBe(2n);
    expect(BigInt(await ask(network, "eth_gasPrice"))).toBe(2n + BigInt(await ask(network, "eth_maxPriorityFeePerGas")));
    await network.pay(WHO, 1n);
    const [third, receipt] = [await blockAt(network, 3n), (await ask(network, "eth_getBlockReceipts", "0x3"))[0]];
    expect([third.baseFeePerGas, BigInt(receipt.effectiveGasPrice)]).toEqual(["0x2", 5n]);
    // a test's own price is that of one block
    await next.evmControls.setNextBaseFee(77n);
    expect(await next.evm!.baseFee()).toBe(77n);
    for (let payment = 0; payment < 2; payment++) await network.pay(WHO, 1n);
    expect((await Promise.all([4n, 5n].map((height) => blockAt(network, height)))).map(({ baseFeePerGas }) => baseFeePerGas)).toEqual([
      "0x4d",
      "0x2",
    ]);
    await next.mineEvm(6, 1n);
    expect(await blockAt(network, 11n)).toMatchObject({ settledHeight: "0x6", settledExcess: `0x${excessFor(2n).toString(16)}` });
  });
});
