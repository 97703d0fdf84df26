import { describe, expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import { generateSecretKey, publicKeyOfSecret, uncompress } from "../../../src/base/signatures/bls.ts";
import { Priority } from "../../../src/chains/platform/state/staker.ts";
import { INACTIVE_NODE_ID } from "../../../src/chains/platform/state/validator-members.ts";
import { canonicalSet, ValidatorSets } from "../../../src/chains/platform/validator-sets.ts";
import { emptyState, idOf, nodeOf, putL1, staker } from "./state/fixture.ts";

const SUBNET = idOf(50);

function keys(count: number): string[] {
  const made = Array.from({ length: count }, () => publicKeyOfSecret(generateSecretKey()));
  return made.sort((a, b) => (uncompress(a) < uncompress(b) ? -1 : 1));
}

describe("the canonical set", () => {
  test("joins validators of one key, orders by uncompressed key, and counts keyless ones in the total only", () => {
    const [first, second] = keys(2) as [string, string];
    const set = canonicalSet(
      new Map([
        [nodeOf(1), { weight: 5n, publicKey: second }],
        [nodeOf(2), { weight: 7n, publicKey: first }],
        [nodeOf(3), { weight: 11n, publicKey: second }],
        [nodeOf(4), { weight: 100n, publicKey: undefined }],
        [INACTIVE_NODE_ID, { weight: 1000n, publicKey: undefined }],
      ]),
    );
    expect(set.totalWeight).toBe(1123n);
    expect(set.validators).toMatchObject([
      { publicKey: first, weight: 7n, nodeIds: [nodeOf(2)] },
      { publicKey: second, weight: 16n, nodeIds: [nodeOf(1), nodeOf(3)] },
    ]);
  });
});

describe("sets of the past", () => {
  /** One block per step, from height 11 on. */
  function history(steps: ((state: ReturnType<typeof emptyState>) => void)[]) {
    const state = emptyState();
    const sets = new ValidatorSets(state);
    for (const step of steps) {
      state.beginBlock();
      step(state);
      const height = state.scalars.height + 1n;
      state.setScalars({ height });
      sets.accept(height, state.validatorChanges());
    }
    return { state, sets };
  }

  test("are told at every height: a validator comes at 11, a delegator at 12, both go at 13", () => {
    const validator = staker({ weight: 100n });
    const delegator = staker({ txId: idOf(101), weight: 11n, priority: Priority.primaryDelegatorCurrent });
    const { sets } = history([
      (state) => state.putStaker(validator),
      (state) => state.putStaker(delegator),
      (state) => {
        state.deleteStaker(delegator);
        state.deleteStaker(validator);
      },
    ]);
    const weights = [10n, 11n, 12n, 13n].map((height) => sets.at(PRIMARY_NETWORK_ID, height).get(validator.nodeId)?.weight);
    expect(weights).toEqual([undefined, 100n, 111n, undefined]);
  });

  test("an L1 validator that was disabled still has its key at heights before", () => {
    const [key] = keys(1) as [string];
    const { sets } = history([
      (state) => putL1(state, { weight: 10n, publicKey: key }),
      (state) => putL1(state, { weight: 10n, publicKey: key, endAccumulatedFee: 0n }),
    ]);
    expect(sets.canonicalAt(SUBNET, 11n)).toMatchObject({ totalWeight: 10n, validators: [{ publicKey: key }] });
    expect(sets.canonicalAt(SUBNET, 12n)).toEqual({ totalWeight: 10n, validators: [] });
  });

  test("are refused above the tip and beyond what is remembered", () => {
    const { state, sets } = history([]);
    expect(() => sets.at(SUBNET, 11n)).toThrow("failed to fetch validator set at unfinalized height");
    state.setScalars({ height: 5000n });
    expect(() => sets.at(SUBNET, 903n)).toThrow("too old");
    expect(sets.at(SUBNET, 904n).size).toBe(0);
  });

  test("are the same after loading the recorded changes", () => {
    const { state, sets } = history([(old) => old.putStaker(staker({ weight: 100n })), (old) => putL1(old, {})]);
    const loaded = new ValidatorSets(state);
    loaded.load([
      {
        key: { subnetId: PRIMARY_NETWORK_ID, height: 11n, nodeId: staker().nodeId },
        value: { before: undefined, after: { weight: 100n, publicKey: undefined } },
      },
    ]);
    expect(loaded.at(PRIMARY_NETWORK_ID, 10n)).toEqual(sets.at(PRIMARY_NETWORK_ID, 10n));
  });
});
