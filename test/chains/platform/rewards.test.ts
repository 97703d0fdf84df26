import { describe, expect, test } from "vitest";
import { primaryRewardParameters, reward, splitReward } from "../../../src/chains/platform/rewards.ts";
import { LOCAL_EPOCH } from "../../../src/network/local-genesis.ts";
import { fuji, localNetwork, mainnet } from "../../../src/network/presets.ts";

const AVAX = 1_000_000_000n;
const DAY = 86_400n;
const PARAMETERS = {
  maxConsumptionRate: 120_000n,
  minConsumptionRate: 100_000n,
  mintingPeriod: 365n * DAY,
  supplyCap: 720_000_000n * AVAX,
};
const HELICON = 2_000_000_000n;

test("a supply above its cap wraps as the node's does, instead of giving negative rewards", () => {
  const parameters = { maxConsumptionRate: 120_000n, minConsumptionRate: 100_000n, mintingPeriod: 31_536_000n, supplyCap: 720n };
  expect(reward(parameters, { duration: 31_536_000n, weight: 800n, supply: 800n })).toBe(((2n ** 64n - 80n) * 12n) / 100n);
});

describe("the reward of a stake", () => {
  test.each([
    ["a full period at half of the cap", 1_000_000n * AVAX, 360_000_000n * AVAX, 365n * DAY, 120_000n * AVAX],
    ["a full period at a larger supply", 1_000_000n * AVAX, 400_000_000n * AVAX, 365n * DAY, 96_000n * AVAX],
    ["a supply that reached the cap", 1_000_000n * AVAX, 720_000_000n * AVAX, 365n * DAY, 0n],
    ["one day", 1_000_000n * AVAX, 360_000_000n * AVAX, DAY, 274_122_724_713n],
    ["one day of a small stake", AVAX / 200n, 360_000_000n * AVAX, DAY, 1_370n],
    ["one day at a larger supply", 1_000_000n * AVAX, 400_000_000n * AVAX, DAY, 219_298_179_771n],
    ["one day of a doubled stake", 2_000_000n * AVAX, 400_000_000n * AVAX, DAY, 438_596_359_542n],
    ["28 days as on mainnet", 100_000n * AVAX, 447_903_489_576_595_361n, 28n * DAY, 473_168_956_104n],
  ])("%s", (_, weight, supply, duration, expected) => {
    expect(reward(PARAMETERS, { weight, supply, duration })).toBe(expected);
  });

  test("is limited to what is left below the cap", () => {
    expect(reward({ ...PARAMETERS, supplyCap: 101n }, { weight: 2n ** 63n, supply: 100n, duration: 365n * DAY })).toBe(1n);
  });
});

describe("the minimum rate of the primary network from Helicon on", () => {
  function network(minConsumptionRate: bigint, maxConsumptionRate = 120_000n) {
    const staking = { ...mainnet.staking, minConsumptionRate, maxConsumptionRate };
    const upgrades = { ...mainnet.upgrades, times: { ...mainnet.upgrades.times, helicon: HELICON } };
    return { ...mainnet, staking, upgrades };
  }

  test.each([
    ["before Helicon", 100_000n, -1n, 100_000n, 274_122_724_713n],
    ["at Helicon", 100_000n, 0n, 100_000n, 274_122_724_713n],
    ["after 30 days", 100_000n, 30n * DAY, 91_667n, 251_355_136_048n],
    ["after 90 days", 100_000n, 90n * DAY, 75_000n, 205_817_226_496n],
    ["after 45 days, from above", 80_000n, 45n * DAY, 77_500n, 212_647_776_318n],
    ["after 45 days, from below", 10_000n, 45n * DAY, 42_500n, 117_020_078_814n],
    ["after 45 days, one below the target", 74_999n, 45n * DAY, 74_999n, 205_814_494_276n],
  ])("%s", (_, configured, afterHelicon, effective, expected) => {
    const parameters = primaryRewardParameters(network(configured), HELICON + afterHelicon);
    expect(parameters.minConsumptionRate).toBe(effective);
    expect(reward(parameters, { weight: 1_000_000n * AVAX, supply: 360_000_000n * AVAX, duration: DAY })).toBe(expected);
  });

  test("stays as configured where the maximum is below the target", () => {
    const parameters = primaryRewardParameters(network(10_000n, 20_000n), HELICON + 90n * DAY);
    expect(reward(parameters, { weight: 1_000_000n * AVAX, supply: 360_000_000n * AVAX, duration: DAY })).toBe(27_472_321_261n);
  });
});

describe("the minimum rate by the start of a stake", () => {
  test.each([
    ["mainnet", "2026-09-22T14:59:59Z", mainnet, 100_000n],
    ["mainnet", "2026-09-22T15:00:00Z", mainnet, 100_000n],
    ["mainnet", "2026-11-25T00:00:00Z", mainnet, 82_396n],
    ["mainnet", "2026-12-21T14:59:59Z", mainnet, 75_001n],
    ["mainnet", "2026-12-21T15:00:00Z", mainnet, 75_000n],
    ["Fuji", "2026-07-28T14:59:59Z", fuji, 100_000n],
    ["Fuji", "2026-09-11T15:00:00Z", fuji, 87_500n],
    ["Fuji", "2026-10-26T14:59:59Z", fuji, 75_001n],
    ["Fuji", "2026-10-26T15:00:00Z", fuji, 75_000n],
  ])("on %s at %s", (_, start, network, expected) => {
    const { minConsumptionRate } = primaryRewardParameters(network, BigInt(Date.parse(start)) / 1000n);
    expect(minConsumptionRate).toBe(expected);
  });

  test("on a local network is the one after the change, from genesis on", () => {
    expect(primaryRewardParameters(localNetwork(), LOCAL_EPOCH).minConsumptionRate).toBe(75_000n);
  });
});

describe("the delegatee's part of a reward", () => {
  test.each([
    [1_000n, 500_000, 500n],
    [1n, 1, 1n],
    [1n, 0, 0n],
    [9_223_374_036_974_675_809n, 2, 18_446_748_749_757n],
    [9_223_372_036_855_275_808n, 999_998, 9_223_353_590_111_202_098n],
  ])("of %d with %d millionths", (amount, shares, shared) => {
    expect(splitReward(amount, shares)).toEqual({ shared, rest: amount - shared });
  });
});
