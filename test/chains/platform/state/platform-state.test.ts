import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { PlatformState } from "../../../../src/chains/platform/state/platform-state.ts";
import { Priority, type Staker } from "../../../../src/chains/platform/state/staker.ts";
import { INACTIVE_NODE_ID } from "../../../../src/chains/platform/state/validator-members.ts";
import { UNSCHEDULED } from "../../../../src/network/presets.ts";
import { emptyState, idOf, l1Validator, NOW, nodeOf, putL1, staker, testNetwork } from "./fixture.ts";

const SUBNET = idOf(50);

describe("stakers", () => {
  test("are ordered by the time of their next change, then priority, then transaction", () => {
    const state = emptyState();
    const end = NOW + 100n;
    const expected = [
      staker({ txId: idOf(9), endTime: end - 1n, priority: Priority.primaryDelegatorCurrent }),
      staker({ txId: idOf(3), endTime: end, priority: Priority.permissionedValidatorCurrent, subnetId: SUBNET }),
      staker({ txId: idOf(1), endTime: end, priority: Priority.primaryDelegatorCurrent }),
      staker({ txId: idOf(2), endTime: end, priority: Priority.primaryDelegatorCurrent }),
      staker({ txId: idOf(0), endTime: end, priority: Priority.primaryValidatorCurrent }),
    ];
    for (const entry of expected.toReversed()) state.putStaker(entry);
    expect(state.currentStakers).toEqual(expected);
  });

  test("a pending staker waits in its own set, ordered by its start", () => {
    const state = emptyState();
    const late = staker({ txId: idOf(1), startTime: NOW + 20n, priority: Priority.primaryValidatorPending });
    const early = staker({ txId: idOf(2), nodeId: nodeOf(2), startTime: NOW + 10n, priority: Priority.primaryValidatorPending });
    state.putStaker(late);
    state.putStaker(early);
    expect(state.pendingStakers).toEqual([early, late]);
    expect(state.currentStakers).toEqual([]);
    expect(state.validator(PRIMARY_NETWORK_ID, late.nodeId)).toEqual(late);
  });

  test("a validator must not come back in the block in which it left, before Helicon", () => {
    const { upgrades } = testNetwork();
    const state = emptyState(testNetwork({ upgrades: { ...upgrades, times: { ...upgrades.times, helicon: UNSCHEDULED } } }));
    state.putStaker(staker());
    state.beginBlock();
    state.deleteStaker(staker());
    expect(() => state.putStaker(staker({ txId: idOf(101) }))).toThrow("putting validator: attempted to add a staker after deleting it");
    state.beginBlock();
    state.putStaker(staker({ txId: idOf(101) }));
    expect(state.currentStakers).toHaveLength(1);
  });

  test("a validator that came and left in one block may come again", () => {
    const state = emptyState();
    state.putStaker(staker());
    state.deleteStaker(staker());
    state.putStaker(staker({ txId: idOf(101) }));
    expect(state.currentStakers).toHaveLength(1);
  });

  test("a second current validator of a node is refused", () => {
    const state = emptyState();
    state.putStaker(staker());
    expect(() => state.putStaker(staker({ txId: idOf(101) }))).toThrow("unexpected staker: NodeID-");
  });
});

const stakers = fc.uniqueArray(
  fc.record({
    node: fc.integer({ min: 1, max: 4 }),
    weight: fc.bigInt({ min: 1n, max: 1000n }),
    end: fc.bigInt({ min: 1n, max: 5n }),
    isPending: fc.boolean(),
  }),
  { maxLength: 12 },
);

test("what is rolled back leaves no trace, in rows, indexes and events", () => {
  fc.assert(
    fc.property(stakers, stakers, (before, after) => {
      const state = emptyState();
      addDelegators(state, before, 0);
      state.view.drain();
      state.beginBlock();
      addDelegators(state, before.slice(0, 1), 500);
      const image = imageOf(state);
      const events = [...state.changes.events];
      const mark = state.view.mark();
      for (const entry of [...state.currentStakers]) state.deleteStaker(entry);
      addDelegators(state, after, 1000);
      putL1(state, {});
      state.addSubnet(SUBNET, { locktime: 0n, threshold: 0, addresses: [] });
      state.putExpiry({ timestamp: NOW, validationId: idOf(1) });
      expect(state.changes.events.length).toBeGreaterThan(events.length);
      state.view.rollback(mark);
      expect(imageOf(state)).toEqual(image);
      expect(state.changes.events).toEqual(events);
      expect(state.view.drain().length).toBe(events.length);
    }),
  );
});

test("the state is the same after it is built again from its rows", () => {
  fc.assert(
    fc.property(stakers, (entries) => {
      const state = emptyState();
      addDelegators(state, entries, 0);
      putL1(state, {});
      putL1(state, { validationId: idOf(201), nodeId: nodeOf(3), endAccumulatedFee: 0n, weight: 7n });
      state.putExpiry({ timestamp: NOW, validationId: idOf(1) });
      const rebuilt = new PlatformState(testNetwork(), state.view);
      rebuilt.initialize();
      expect(imageOf(rebuilt)).toEqual(imageOf(state));
    }),
  );
});

function addDelegators(state: PlatformState, entries: { node: number; weight: bigint; end: bigint; isPending: boolean }[], first: number) {
  entries.forEach(({ node, weight, end, isPending }, i) => {
    const priority = isPending ? Priority.primaryDelegatorPending : Priority.primaryDelegatorCurrent;
    state.putStaker(
      staker({ txId: idOf(first + i), nodeId: nodeOf(node), weight, startTime: NOW + end, endTime: NOW + end + 10n, priority }),
    );
  });
}

function imageOf(state: PlatformState): object {
  const nodes = [1, 2, 3, 4].map(nodeOf);
  return {
    current: [...state.currentStakers],
    pending: [...state.pendingStakers],
    delegators: nodes.map((node) => [...state.currentDelegators(PRIMARY_NETWORK_ID, node)]),
    pendingDelegators: nodes.map((node) => [...state.pendingDelegators(PRIMARY_NETWORK_ID, node)]),
    members: [PRIMARY_NETWORK_ID, SUBNET].map((subnetId) => new Map(state.members(subnetId))),
    l1: [...state.activeL1Validators],
    l1Weight: state.l1TotalWeight(SUBNET),
    expiries: [...state.expiries],
    subnet: state.subnet(SUBNET),
  };
}

describe("the validator set", () => {
  const key = "cd".repeat(48);
  const validator: Staker = staker({ publicKey: key, weight: 100n });

  test("counts delegators to their validator and names its key", () => {
    const state = emptyState();
    state.putStaker(validator);
    state.putStaker(staker({ txId: idOf(101), weight: 11n, priority: Priority.primaryDelegatorCurrent }));
    expect(state.member(PRIMARY_NETWORK_ID, validator.nodeId)).toEqual({ weight: 111n, publicKey: key });
  });

  test("gives a subnet's validator the key of its node on the primary network", () => {
    const state = emptyState();
    state.putStaker(validator);
    state.putStaker(staker({ txId: idOf(101), subnetId: SUBNET, weight: 5n, priority: Priority.permissionedValidatorCurrent }));
    expect(state.member(SUBNET, validator.nodeId)).toEqual({ weight: 5n, publicKey: key });
  });

  test("pools inactive L1 validators without a key", () => {
    const state = emptyState();
    putL1(state, { nodeId: nodeOf(2), weight: 10n });
    putL1(state, { validationId: idOf(201), nodeId: nodeOf(3), weight: 7n, endAccumulatedFee: 0n });
    putL1(state, { validationId: idOf(202), nodeId: nodeOf(4), weight: 8n, endAccumulatedFee: 0n });
    expect(new Map(state.members(SUBNET))).toEqual(
      new Map([
        [nodeOf(2), { weight: 10n, publicKey: l1Validator().publicKey }],
        [INACTIVE_NODE_ID, { weight: 15n, publicKey: undefined }],
      ]),
    );
  });

  test("records the net change of a block, by node", () => {
    const state = emptyState();
    state.putStaker(validator);
    putL1(state, { weight: 10n });
    state.beginBlock();
    const delegator = staker({ txId: idOf(101), weight: 11n, priority: Priority.primaryDelegatorCurrent });
    state.putStaker(delegator);
    state.deleteStaker(delegator);
    putL1(state, { weight: 10n, endAccumulatedFee: 0n });
    expect(state.validatorChanges()).toEqual([
      { subnetId: SUBNET, nodeId: nodeOf(2), before: { weight: 10n, publicKey: l1Validator().publicKey }, after: undefined },
      { subnetId: SUBNET, nodeId: INACTIVE_NODE_ID, before: undefined, after: { weight: 10n, publicKey: undefined } },
    ]);
  });
});

describe("an L1 validator", () => {
  test("is refused on a node that validates the subnet in the old way", () => {
    const state = emptyState();
    state.putStaker(staker({ subnetId: SUBNET, nodeId: nodeOf(2), priority: Priority.permissionedValidatorCurrent }));
    expect(() => putL1(state, {})).toThrow("L1 validator contains conflicting subnetID + nodeID pair");
  });

  test("is refused on a node that is one of this subnet already", () => {
    const state = emptyState();
    putL1(state, {});
    expect(() => putL1(state, { validationId: idOf(201) })).toThrow("L1 validator contains duplicate subnetID + nodeID pair");
  });

  test("is refused if the subnet's total weight would not fit 64 bits", () => {
    const state = emptyState();
    putL1(state, { weight: 2n ** 64n - 1n });
    expect(() => putL1(state, { validationId: idOf(201), nodeId: nodeOf(3), weight: 1n })).toThrow("overflow");
  });

  test("is gone once its weight is zero", () => {
    const state = emptyState();
    putL1(state, {});
    putL1(state, { weight: 0n });
    expect(state.l1Validator(l1Validator().validationId)).toBeUndefined();
    expect(state.activeL1Validators).toEqual([]);
    expect(state.l1TotalWeight(SUBNET)).toBe(0n);
  });
});
