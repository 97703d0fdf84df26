import { describe, expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import { Priority } from "../../../src/chains/platform/state/staker.ts";
import { advanceTime, checkNewTime, deactivateLowBalances, nextBlockTime, nextChangeTime } from "../../../src/chains/platform/time.ts";
import { localNetwork } from "../../../src/network/presets.ts";
import { emptyState, idOf, NOW, nodeOf, putL1, staker, testNetwork } from "./state/fixture.ts";

const SUBNET = idOf(50);

function networkWithTarget(target: bigint, minPrice: bigint) {
  return testNetwork({ validatorFees: { ...localNetwork().validatorFees, target, minPrice } });
}

describe("L1 validators as time advances (chain-rules E12)", () => {
  test.each([
    ["of three, two run out", [3n, 3n, 1_000_000_000n], 1, 6n],
    ["the only one runs out", [3n], 0, 0n],
    ["both run out", [3n, 3n], 0, 3n],
  ])("%s", (_, ends, activeLater, excess) => {
    const state = emptyState(networkWithTarget(1n, 1n));
    ends.forEach((endAccumulatedFee, i) => {
      putL1(state, { validationId: idOf(200 + i), nodeId: nodeOf(10 + i), endAccumulatedFee });
    });
    expect(advanceTime(state, NOW + 3n)).toBe(true);
    expect(state.scalars).toMatchObject({ accruedFees: 3n, l1Excess: excess, timestamp: NOW + 3n });
    expect(state.activeL1Validators).toHaveLength(activeLater);
    expect(state.l1TotalWeight(SUBNET)).toBe(10n * BigInt(ends.length));
  });
});

describe("the eviction of an L1 validator (chain-rules E13)", () => {
  test.each([
    [1n, NOW],
    [2n, NOW + 1n],
    [3n, NOW + 1n],
  ])("with a balance of %d at a price of 2 is due at %d", (endAccumulatedFee, due) => {
    const state = emptyState(networkWithTarget(10_000n, 2n));
    putL1(state, { endAccumulatedFee });
    expect(nextChangeTime(state, NOW + 100n)).toBe(due);
  });

  test.each([
    [1n, true],
    [2n, false],
  ])("at the end of a block, with a balance of %d: %s", (endAccumulatedFee, isDeactivated) => {
    const state = emptyState(networkWithTarget(10_000n, 2n));
    putL1(state, { endAccumulatedFee });
    expect(deactivateLowBalances(state)).toBe(isDeactivated);
    expect(state.activeL1Validators).toHaveLength(isDeactivated ? 0 : 1);
  });
});

describe("advancing time", () => {
  test("fills the gas capacity and lowers the excess (chain-rules E10)", () => {
    const state = emptyState();
    state.setScalars({ feeCapacity: 994_801n, feeExcess: 5_199n });
    expect(advanceTime(state, NOW + 1n)).toBe(false);
    expect(state.scalars).toMatchObject({ feeCapacity: 1_000_000n, feeExcess: 0n });
  });

  test("promotes pending stakers with rewards in pending order, and mints them", () => {
    const state = emptyState();
    const common = { startTime: NOW + 10n, endTime: NOW + 10n + 86_400n };
    const delegator = staker({ txId: idOf(1), ...common, priority: Priority.primaryApricotDelegatorPending });
    const validator = staker({ txId: idOf(2), ...common, priority: Priority.primaryValidatorPending });
    state.putStaker(validator);
    state.putStaker(delegator);
    const supply = state.supply(PRIMARY_NETWORK_ID);
    advanceTime(state, NOW + 10n);
    expect(state.pendingStakers).toEqual([]);
    const [first, second] = state.currentStakers;
    expect([first?.txId, second?.txId]).toEqual([delegator.txId, validator.txId]);
    expect([first?.priority, second?.priority]).toEqual([Priority.primaryDelegatorCurrent, Priority.primaryValidatorCurrent]);
    // the same stake, but the validator's reward comes from a larger supply
    expect(first!.potentialReward).toBeGreaterThanOrEqual(second!.potentialReward);
    expect(state.supply(PRIMARY_NETWORK_ID)).toBe(supply + first!.potentialReward + second!.potentialReward);
    expect(state.stakingInfo(PRIMARY_NETWORK_ID, validator.nodeId).delegateeReward).toBe(0n);
  });

  test("lets permissioned subnet validators go at their end, and stops at the first staker that a proposal must reward", () => {
    const state = emptyState();
    const endTime = NOW + 5n;
    state.putStaker(staker({ txId: idOf(1), subnetId: SUBNET, endTime, priority: Priority.permissionedValidatorCurrent }));
    state.putStaker(staker({ txId: idOf(2), endTime }));
    expect(advanceTime(state, endTime)).toBe(true);
    expect(state.currentStakers.map(({ txId }) => txId)).toEqual([idOf(2)]);
    expect(() => checkNewTime(state, endTime + 1n, endTime + 1n)).toThrow("proposed timestamp later than next staker change time");
  });

  test("drops expiries that are due, the present second included", () => {
    const state = emptyState();
    for (const seconds of [1n, 2n, 3n]) state.putExpiry({ timestamp: NOW + seconds, validationId: idOf(1) });
    advanceTime(state, NOW + 2n);
    expect(state.expiries).toEqual([{ timestamp: NOW + 3n, validationId: idOf(1) }]);
  });
});

describe("a new chain time", () => {
  test("may be the present one and up to 10 s ahead of the clock", () => {
    const state = emptyState();
    checkNewTime(state, NOW, NOW);
    checkNewTime(state, NOW + 10n, NOW);
    expect(() => checkNewTime(state, NOW - 1n, NOW)).toThrow("proposed timestamp before current chain time");
    expect(() => checkNewTime(state, NOW + 11n, NOW)).toThrow(
      "proposed timestamp is too far in the future relative to local time, proposed time (2027-01-15 08:00:11 +0000 UTC), local time (2027-01-15 08:00:00 +0000 UTC)",
    );
  });

  test("of a block built now is the clock, but not after a change that is due", () => {
    const state = emptyState();
    expect(nextBlockTime(state, NOW + 7n)).toBe(NOW + 7n);
    expect(nextBlockTime(state, NOW - 7n)).toBe(NOW);
    state.putStaker(staker({ endTime: NOW + 3n }));
    expect(nextBlockTime(state, NOW + 7n)).toBe(NOW + 3n);
  });
});
