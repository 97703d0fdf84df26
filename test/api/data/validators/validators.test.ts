import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getValidatorDetails } from "../../../../src/api/data/validators/get-validator-details.ts";
import { listValidators } from "../../../../src/api/data/validators/list-validators.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { splitReward } from "../../../../src/chains/platform/rewards.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { ELASTIC, type ModelStaker, PERMISSIONED, StakingWorld } from "../../../index/primary/staking/staking-world.ts";
import { ask, walk } from "../staking/request.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-validators-"));
const world = new StakingWorld(7, { nodeCount: 16 });
let store: Store;

beforeAll(async () => {
  store = await openStore({ directory, mode: "write" });
  await world.grow(store, 600, 13);
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

function current(validator: ModelStaker): ModelStaker[] {
  return validator.delegators.filter(({ status }) => status === "active");
}

function capacityOf(validator: ModelStaker): bigint | undefined {
  if (validator.status !== "active" || validator.shares === undefined) return undefined;
  const { maxValidatorStake, maxValidatorWeightFactor } = world.network.staking;
  const [most, factor] = validator.staker.subnetId === ELASTIC ? [5000n, 3n] : [maxValidatorStake, maxValidatorWeightFactor];
  const { weight } = validator.staker;
  const limit = weight * factor < most ? weight * factor : most;
  const left = limit - weight - sum(current(validator).map(({ staker }) => staker.weight));
  return left > 0n ? left : 0n;
}

function json(validator: ModelStaker, uptimeOf: UptimeOf): Record<string, unknown> {
  const { staker, status, shares, owner, delegators, leftBy } = validator;
  const rewardAddresses = shares === undefined ? {} : { rewardAddresses: owner.map((address) => encodeBech32(world.network.hrp, address)) };
  const common = {
    ...{ txHash: formatId(staker.txId), nodeId: formatNodeId(staker.nodeId), subnetId: formatId(staker.subnetId) },
    amountStaked: `${staker.weight}`,
    ...(staker.subnetId === PRIMARY_NETWORK_ID && {
      delegationFee: `${(shares! / 10_000).toFixed(4)}000000000000`,
    }),
    ...{ startTimestamp: Number(staker.startTime), endTimestamp: Number(staker.endTime), stakingType: "fixed", validationStatus: status },
  };
  const paid = (type: string, of: (staker: ModelStaker) => boolean) =>
    `${sum(world.paid.filter((paid) => paid.type === type && of(paid.staker)).map(({ amount }) => amount))}`;
  switch (status) {
    case "pending":
      return common;
    case "active": {
      const now = current(validator);
      const fees = sum(now.map((delegator) => splitReward(delegator.staker.potentialReward, shares!).shared));
      const active = world.stakers.filter((other) => other.status === "active" && other.staker.subnetId === staker.subnetId);
      const capacity = capacityOf(validator);
      return {
        ...common,
        ...{ delegatorCount: now.length, amountDelegated: `${sum(now.map((delegator) => delegator.staker.weight))}` },
        stakePercentage: (Number(staker.weight) / Number(sum(active.map((other) => other.staker.weight)))) * 100,
        uptimePerformance: uptimeOf(staker.nodeId) / 10_000,
        ...(capacity !== undefined && { delegationCapacity: `${capacity}` }),
        potentialRewards: { validationRewardAmount: `${staker.potentialReward}`, delegationRewardAmount: `${fees}`, ...rewardAddresses },
        validatorHealth: {
          ...{ reachabilityPercent: 0, benchedPChainRequestsPercent: 0, benchedXChainRequestsPercent: 0, benchedCChainRequestsPercent: 0 },
        },
        geolocation: null,
      };
    }
    case "completed":
      return {
        ...common,
        ...{ delegatorCount: delegators.length, amountDelegated: `${sum(delegators.map((delegator) => delegator.staker.weight))}` },
        rewards: {
          validationRewardAmount: paid("VALIDATOR", (of) => of === validator),
          delegationRewardAmount: paid("VALIDATOR_FEE", (of) => of === validator || of.validator === validator),
          ...rewardAddresses,
          ...(leftBy !== undefined && { rewardTxHash: formatId(leftBy) }),
        },
      };
    case "removed":
      return { ...common, removeTxHash: formatId(leftBy!), removeTimestamp: Number(validator.leftAt) };
  }
}

const CLOCK = 1_700_000_900n;

interface Query {
  nodeIds?: string;
  sortBy?: string;
  sortOrder?: string;
  validationStatus?: string;
  subnetId?: string;
  [bound: string]: string | undefined;
}

/** Millionths, if anything measures them: some validators have the same. */
type UptimeOf = (nodeId: NodeId) => number;
const unmeasured: UptimeOf = () => 0;
const measured: UptimeOf = (nodeId) => [1_000_000, 850_000, 0, 999_999][Number.parseInt(nodeId, 16) % 4]!;

function figureOf(validator: ModelStaker, sortBy: string | undefined, uptimeOf: UptimeOf): bigint | undefined {
  const isLive = validator.status === "active" || validator.status === "pending";
  switch (sortBy) {
    case "delegationCapacity":
      return capacityOf(validator);
    case "timeRemaining":
      return isLive ? validator.staker.endTime : undefined;
    case "delegationFee":
      return BigInt(validator.shares!);
    case "uptimePerformance":
      return validator.status === "active" ? BigInt(uptimeOf(validator.staker.nodeId)) : undefined;
    default:
      return 0n;
  }
}

function expected(query: Query, uptimeOf = unmeasured): Record<string, unknown>[] {
  const bound = (name: string, byDefault: [number, number]): [number, number] | undefined => {
    const [min, max] = [query[`min${name}`], query[`max${name}`]];
    return min === undefined && max === undefined ? undefined : [Number(min ?? byDefault[0]), Number(max ?? byDefault[1])];
  };
  const within = (figure: number | undefined, range: [number, number] | undefined) =>
    range === undefined || (figure !== undefined && figure >= range[0] && figure <= range[1]);
  const [capacities, times] = [bound("DelegationCapacity", [0, 72e16]), bound("TimeRemaining", [0, 2147483647])];
  const [fees, uptimes] = [bound("FeePercentage", [2, 100]), bound("UptimePerformance", [90, 100])];
  const found = world.stakers.filter((validator) => {
    const { isValidator, status, staker, shares } = validator;
    const isLive = status === "active" || status === "pending";
    const capacity = capacityOf(validator);
    return (
      isValidator &&
      (query.validationStatus === undefined || query.validationStatus === status) &&
      (query.subnetId === undefined || query.subnetId === formatId(staker.subnetId)) &&
      (query.nodeIds === undefined || query.nodeIds.split(",").some((part) => formatNodeId(staker.nodeId).includes(part))) &&
      within(capacity === undefined ? undefined : Number(capacity), capacities) &&
      within(isLive ? Math.max(0, Number(staker.endTime - CLOCK)) : undefined, times) &&
      within(staker.subnetId === PRIMARY_NETWORK_ID ? shares! / 10_000 : undefined, fees) &&
      within(status === "active" ? uptimeOf(staker.nodeId) / 10_000 : undefined, uptimes)
    );
  });
  const sign = query.sortOrder === "asc" ? 1 : -1;
  const order = (a: bigint | string, b: bigint | string) => (a === b ? 0 : a < b ? -sign : sign);
  return found
    .sort((a, b) => {
      const [figureA, figureB] = [figureOf(a, query.sortBy, uptimeOf), figureOf(b, query.sortBy, uptimeOf)];
      if ((figureA === undefined) !== (figureB === undefined)) return figureA === undefined ? 1 : -1;
      return order(figureA ?? 0n, figureB ?? 0n) || order(a.height, b.height) || order(a.staker.txId, b.staker.txId);
    })
    .map((validator) => json(validator, uptimeOf));
}

const percent = fc.integer({ min: 200, max: 10_000 }).map((hundredths) => `${hundredths / 100}`);
const nodeText = fc.oneof(
  fc.integer({ min: 0, max: 15 }).map((node) => formatNodeId((1 + node * 0x10001).toString(16).padStart(40, "0"))),
  fc.constantFrom("NodeID-", "1", "a", "B", "nothing of this", "111", "Z"),
);

const queries = fc
  .record(
    {
      validationStatus: fc.constantFrom("active", "pending", "completed", "removed"),
      subnetId: fc.constantFrom(formatId(PRIMARY_NETWORK_ID), formatId(ELASTIC), formatId(PERMISSIONED), formatId("12".repeat(32))),
      nodeIds: fc.array(nodeText, { minLength: 1, maxLength: 3 }).map((texts) => texts.join(",")),
      sortBy: fc.constantFrom("blockIndex", "delegationCapacity", "timeRemaining", "delegationFee", "uptimePerformance"),
      sortOrder: fc.constantFrom("asc", "desc"),
      minFeePercentage: percent,
      maxFeePercentage: percent,
      minDelegationCapacity: fc.integer({ min: 0, max: 5000 }).map(String),
      maxTimeRemaining: fc.integer({ min: 0, max: 2000 }).map(String),
      minUptimePerformance: fc.constantFrom("0", "50", "85.1"),
    },
    { requiredKeys: [] },
  )
  .map((query) => (query.sortBy === "delegationFee" ? { ...query, subnetId: formatId(PRIMARY_NETWORK_ID) } : query))
  .filter(({ minFeePercentage: min, maxFeePercentage: max }) => min === undefined || max === undefined || Number(min) <= Number(max));

test("the world has validators of every status and subnet", () => {
  const validators = world.stakers.filter(({ isValidator }) => isValidator);
  expect(new Set(validators.map(({ status }) => status)).size).toBe(4);
  expect(new Set(validators.map(({ staker }) => staker.subnetId)).size).toBe(3);
});

test("every combination of filters and orders lists what a loop over all validators finds, in pages of any size", {}, async () => {
  const asked = { network: world.network, clock: CLOCK, cache: new Map() };
  await fc.assert(
    fc.asyncProperty(queries, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (query, pageSize, isMeasured) => {
      const uptimes = isMeasured ? { version: "", uptime: (_: Id, nodeId: NodeId) => measured(nodeId) } : undefined;
      const sent = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Record<string, string>;
      const listed = await walk(listValidators, store, { ...asked, uptimes }, { ...sent, pageSize: `${pageSize}` }, "validators");
      expect(listed).toEqual(expected(sent, isMeasured ? measured : unmeasured));
    }),
    { numRuns: 400 },
  );
});

test("a node's list has all its validations, and none of a node never seen", async () => {
  const asked = { network: world.network, clock: CLOCK, cache: new Map() };
  for (const nodeId of new Set(world.stakers.map(({ staker }) => formatNodeId(staker.nodeId)))) {
    const listed = await walk(getValidatorDetails, store, asked, { pageSize: "3" }, "validators", { nodeId });
    expect(listed).toEqual(expected({ nodeIds: nodeId }));
  }
  const none = { nodeId: formatNodeId("77".repeat(20)) };
  expect(await walk(getValidatorDetails, store, asked, {}, "validators", none)).toEqual([]);
});

test("a node never seen among as many node IDs as there are nodes is not taken for the one left out", async () => {
  const asked = { network: world.network, clock: CLOCK, cache: new Map() };
  const [, ...others] = new Set(world.stakers.map(({ staker }) => formatNodeId(staker.nodeId)));
  const nodeIds = [...others, formatNodeId("77".repeat(20))].join();
  expect(await walk(listValidators, store, asked, { pageSize: "7", nodeIds }, "validators")).toEqual(expected({ nodeIds }));
});

test.each([
  [{ sortBy: "delegationFee" }, "subnetId"],
  [{ minFeePercentage: "10", maxFeePercentage: "5" }, "minFeePercentage must not be above"],
  [{ minFeePercentage: "1" }, "from 2 to 100"],
  [{ maxDelegationCapacity: "720000000000000001" }, "720000000000000000"],
  [{ minTimeRemaining: "2147483648" }, "2147483647"],
  [{ nodeIds: " , " }, "at least one node"],
  [{ subnetId: "nonsense" }, "subnetId must be an ID"],
])("%j is refused", async (query, part) => {
  const asked = { network: world.network, clock: CLOCK };
  await expect(ask(listValidators, store, asked, query as unknown as Record<string, string>)).rejects.toThrow(part);
});

test("on Fuji nobody sorts by fee", async () => {
  const asked = { network: { ...world.network, networkId: 5 }, clock: CLOCK };
  const query = { sortBy: "delegationFee", subnetId: formatId(PRIMARY_NETWORK_ID) };
  await expect(ask(listValidators, store, asked, query)).rejects.toMatchObject({ status: 400 });
});

test("what a process keeps in memory follows the chain", async () => {
  const directory = mkdtempSync(join(tmpdir(), "firn-validators-"));
  const store = await openStore({ directory, mode: "write" });
  try {
    const world = new StakingWorld(11);
    for (let round = 0; round < 25; round++) {
      await world.grow(store, round, 3);
      const kept = { network: world.network, clock: CLOCK, cache: new Map() };
      const afresh = { ...kept, network: { ...world.network }, cache: new Map() };
      for (const sortBy of ["delegationCapacity", "timeRemaining", "blockIndex"]) {
        const query = { sortBy, pageSize: "50" };
        const listed = await walk(listValidators, store, kept, query, "validators");
        expect(listed).toEqual(await walk(listValidators, store, afresh, query, "validators"));
        expect(listed.length).toBe(world.stakers.filter(({ isValidator }) => isValidator).length);
      }
    }
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
