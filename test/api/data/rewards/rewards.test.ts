import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listHistoricalPrimaryNetworkRewards } from "../../../../src/api/data/rewards/list-historical-rewards.ts";
import { listPendingPrimaryNetworkRewards } from "../../../../src/api/data/rewards/list-pending-rewards.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { listDelegators } from "../../../../src/api/data/validators/list-delegators.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { splitReward } from "../../../../src/chains/platform/rewards.ts";
import { readStakingTotals, rewardTxOf } from "../../../../src/index/primary/staking/validation-reader.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { nodeOf } from "../../../chains/platform/state/fixture.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { type ModelStaker, StakingWorld } from "../../../index/primary/staking/staking-world.ts";
import { ask, walk } from "../staking/request.ts";

const CLOCK = 1_700_000_900n;
const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), "firn-rewards-")));
const world = new StakingWorld(3);
const longWorld = new StakingWorld(3);
const stores: Store[] = [];

beforeAll(async () => {
  for (const directory of directories) stores.push(await openStore({ directory, mode: "write" }));
  await world.grow(stores[0]!, 300, 7);
  await longWorld.grow(stores[1]!, 3000, 100);
});

afterAll(async () => {
  for (const store of stores) await store.close();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

const addressText = (address: string) => encodeBech32(world.network.hrp, address);
const owner = fc.integer({ min: 0, max: 5 }).map((n) => nodeOf(0xa00 + n));
const node = fc.integer({ min: 0, max: 9 }).map((n) => nodeOf(1 + n * 0x10001));
const owners = fc.option(fc.uniqueArray(owner, { minLength: 1, maxLength: 3 }), { nil: undefined });
const nodes = fc.option(fc.uniqueArray(node, { minLength: 1, maxLength: 3 }), { nil: undefined });
const sortOrder = fc.constantFrom("asc", "desc") as fc.Arbitrary<"asc" | "desc">;
const pageSize = fc.integer({ min: 1, max: 9 });

type Lists = readonly [owners: string[] | undefined, nodes: string[] | undefined];

function isAskedFor(nodeId: string, of: readonly string[], [addresses, nodeIds]: Lists): boolean {
  return (
    (addresses === undefined || of.some((address) => addresses.includes(address))) && (nodeIds === undefined || nodeIds.includes(nodeId))
  );
}

function inOrder<T>(items: readonly T[], order: "asc" | "desc", ...keys: ((item: T) => bigint | number | string)[]): T[] {
  const sign = order === "asc" ? 1 : -1;
  return [...items].sort((a, b) => {
    const key = keys.find((of) => of(a) !== of(b));
    return key === undefined ? 0 : key(a) < key(b) ? -sign : sign;
  });
}

function sent(name: string, [addresses, nodeIds]: Lists, order: string, size: number): Record<string, string> {
  return {
    ...(addresses && { [name]: addresses.map(addressText).join(",") }),
    ...(nodeIds && { nodeIds: nodeIds.map(formatNodeId).join(",") }),
    ...{ sortOrder: order, pageSize: `${size}` },
  };
}

function listed(route: AnyDataRoute, query: Record<string, string>, items: string) {
  return walk(route, stores[0]!, { network: world.network, clock: CLOCK }, query, items);
}

function delegatorJson({ staker, status, owner, shares, wasRewarded }: ModelStaker) {
  const reward = status === "completed" && !wasRewarded ? 0n : staker.potentialReward;
  const net = splitReward(reward, shares!).rest;
  return {
    ...{ txHash: formatId(staker.txId), nodeId: formatNodeId(staker.nodeId), rewardAddresses: owner.map(addressText) },
    ...{ amountDelegated: `${staker.weight}`, delegationFee: `${(shares! / 10_000).toFixed(4)}000000000000`, delegationStatus: status },
    ...{ startTimestamp: Number(staker.startTime), endTimestamp: Number(staker.endTime) },
    ...(status === "completed"
      ? { grossReward: `${reward}`, netReward: `${net}` }
      : { estimatedGrossReward: `${reward}`, estimatedNetReward: `${net}` }),
  };
}

test("delegators are those that a loop finds, for any status, owners, nodes, order and page size", async () => {
  const status = fc.option(fc.constantFrom("active", "pending", "completed"), { nil: undefined });
  const run = async (lists: Lists, delegationStatus: string | undefined, order: "asc" | "desc", size: number) => {
    const found = world.stakers.filter(
      (staker) =>
        !staker.isValidator &&
        (delegationStatus === undefined || staker.status === delegationStatus) &&
        isAskedFor(staker.staker.nodeId, staker.owner, lists),
    );
    const sorted = inOrder(
      found,
      order,
      ({ height }) => height,
      ({ staker }) => staker.txId,
    );
    const query = { ...sent("rewardAddresses", lists, order, size), ...(delegationStatus && { delegationStatus }) };
    expect(await listed(listDelegators, query, "delegators")).toEqual(sorted.map(delegatorJson));
  };
  await fc.assert(fc.asyncProperty(fc.tuple(owners, nodes), status, sortOrder, pageSize, run), { numRuns: 150 });
});

test("pending rewards are what active stakers can expect", async () => {
  const entries = world.stakers
    .filter(({ status, shares }) => status === "active" && shares !== undefined)
    .flatMap((model) => {
      const { staker, validator } = model;
      if (model.isValidator) return [{ model, type: "VALIDATOR", rank: 0, amount: staker.potentialReward, owner: model.owner }];
      const { rest, shared } = splitReward(staker.potentialReward, model.shares!);
      return [
        { model, type: "DELEGATOR", rank: 1, amount: rest, owner: model.owner },
        ...(shared > 0n ? [{ model, type: "VALIDATOR_FEE", rank: 2, amount: shared, owner: validator!.feeOwner }] : []),
      ];
    });
  const run = async (lists: Lists, order: "asc" | "desc", size: number) => {
    const sorted = inOrder(
      entries.filter(({ model, owner }) => isAskedFor(model.staker.nodeId, owner, lists)),
      order,
      ({ model }) => model.time,
      ({ model }) => model.staker.txId,
      ({ rank }) => rank,
    );
    const items = await listed(listPendingPrimaryNetworkRewards, sent("addresses", lists, order, size), "pendingRewards");
    expect(items).toEqual(
      sorted.map(({ model: { staker, time, assetId }, type, amount, owner }) => ({
        ...{ addresses: owner.map(addressText), txHash: formatId(staker.txId), amountStaked: `${staker.weight}` },
        ...{ nodeId: formatNodeId(staker.nodeId), startTimestamp: Number(time), endTimestamp: Number(staker.endTime), rewardType: type },
        progress: Math.min(100, Math.max(0, (Number(CLOCK - time) / Number(staker.endTime - time)) * 100)),
        estimatedReward: expect.objectContaining({ assetId: formatId(assetId), amount: `${amount}` }),
        stakingType: "fixed",
      })),
    );
  };
  const asked = fc.tuple(owners, nodes).filter(([of, on]) => of !== undefined || on !== undefined);
  await fc.assert(fc.asyncProperty(asked, sortOrder, pageSize, run), { numRuns: 150 });
});

test("historical rewards are one item for each UTXO that paid one", async () => {
  const run = async (lists: Lists, order: "asc" | "desc", size: number) => {
    const sorted = inOrder(
      world.paid.filter(({ staker, owner }) => isAskedFor(staker.staker.nodeId, owner, lists)),
      order,
      ({ time }) => time,
      ({ utxoId }) => utxoId,
    );
    const items = await listed(listHistoricalPrimaryNetworkRewards, sent("addresses", lists, order, size), "historicalRewards");
    expect(items).toEqual(
      sorted.map(({ utxoId, outputIndex, type, amount, owner, rewardTxId, staker: { staker, time, assetId } }) => ({
        ...{ addresses: owner.map(addressText), txHash: formatId(staker.txId), utxoId: formatId(utxoId), outputIndex },
        ...{ amountStaked: `${staker.weight}`, nodeId: formatNodeId(staker.nodeId), rewardType: type, rewardTxHash: formatId(rewardTxId) },
        ...{ startTimestamp: Number(time), endTimestamp: Number(staker.endTime), stakingType: "fixed" },
        reward: expect.objectContaining({ assetId: formatId(assetId), amount: `${amount}` }),
      })),
    );
  };
  const asked = fc.tuple(owners, nodes).filter(([of, on]) => of !== undefined || on !== undefined);
  await fc.assert(fc.asyncProperty(asked, sortOrder, pageSize, run), { numRuns: 150 });
});

test("rewards need an address or a node", async () => {
  for (const route of [listPendingPrimaryNetworkRewards, listHistoricalPrimaryNetworkRewards]) {
    await expect(ask(route, stores[0]!, { network: world.network, clock: CLOCK }, {})).rejects.toMatchObject({ status: 400 });
  }
});

test("totals and reward transactions are those of the stakers", async () => {
  const active = world.stakers.filter(({ status, staker }) => status === "active" && staker.subnetId === PRIMARY_NETWORK_ID);
  const sum = (stakers: ModelStaker[], of: (staker: ModelStaker) => bigint) => stakers.reduce((total, staker) => total + of(staker), 0n);
  const [validators, delegators] = [active.filter(({ isValidator }) => isValidator), active.filter(({ isValidator }) => !isValidator)];
  expect(await readStakingTotals(stores[0]!)).toMatchObject({
    ...{ validatorCount: validators.length, validatorStake: sum(validators, ({ staker }) => staker.weight) },
    ...{ delegatorCount: delegators.length, delegatorStake: sum(delegators, ({ staker }) => staker.weight) },
    potentialRewards: sum(active, ({ staker }) => staker.potentialReward),
  });
  const rewardTxs = world.stakers.map(({ status, leftBy }) => (status === "completed" ? leftBy : undefined));
  const txIds = world.stakers.map(({ staker }) => staker.txId);
  expect(await rewardTxOf(stores[0]!, txIds)).toEqual(rewardTxs);
});

test("a page of a history ten times as long reads no more rows", async () => {
  const query = { addresses: [nodeOf(0xa00), nodeOf(0xa01)].map(addressText).join(","), pageSize: "10" };
  const rowsOf = async (route: AnyDataRoute, sentQuery: Record<string, string>, store: Store) => {
    const counted = new CountingReader(store);
    await ask(route, counted, { network: world.network, clock: CLOCK }, sentQuery);
    return counted.reads;
  };
  expect(longWorld.paid.length).toBeGreaterThan(5 * world.paid.length);
  for (const [route, sentQuery] of [
    [listDelegators, { pageSize: "10" }],
    [listDelegators, { rewardAddresses: query.addresses, pageSize: "10" }],
    [listPendingPrimaryNetworkRewards, query],
    [listHistoricalPrimaryNetworkRewards, query],
  ] as const) {
    expect(await rowsOf(route, sentQuery, stores[1]!)).toBeLessThanOrEqual(80);
  }
});
