import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listValidatorAddresses } from "../../../../src/api/data/validators/list-validator-addresses.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { View } from "../../../../src/base/table/view.ts";
import { P_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { COMPLETED, type Validation, validations } from "../../../../src/index/primary/staking/staking-tables.ts";
import { listPastValidation } from "../../../../src/index/primary/staking/validation-rows.ts";
import { blocksByTime } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { idOf, nodeOf } from "../../../chains/platform/state/fixture.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ELASTIC, PERMISSIONED, StakingWorld } from "../../../index/primary/staking/staking-world.ts";
import { ask, walk } from "../staking/request.ts";

const CLOCK = 1_700_000_900n;
const directory = mkdtempSync(join(tmpdir(), "firn-validator-addresses-"));
const world = new StakingWorld(17, { nodeCount: 200 });
/** Validators of this world do not renew themselves: those of blocks before Helicon are over after the longest period. */
const beforeHelicon: NetworkInstance = {
  ...world.network,
  staking: { ...world.network.staking, maxStakeDuration: 1100n },
  upgrades: { ...world.network.upgrades, times: { ...world.network.upgrades.times, helicon: CLOCK * 2n } },
};
let store: Store;

beforeAll(async () => {
  store = await openStore({ directory, mode: "write" });
  await world.grow(store, 500, 50);
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const PAST: Validation = {
  ...{ status: COMPLETED, subnetId: PRIMARY_NETWORK_ID, nodeId: nodeOf(1), height: 0n, timestamp: 0n, weight: 1n, start: 0n, end: 0n },
  ...{ isAutoRenewed: false, signer: undefined, potentialReward: 0n, left: undefined },
  terms: { assetId: idOf(1), shares: 20_000, validationOwner: [nodeOf(2)], delegationOwner: [nodeOf(2)] },
  ...{ delegators: { count: 0, weight: 0n, fees: 0n }, everDelegated: { count: 0, weight: 0n } },
  rewards: { validation: 0n, delegation: 0n },
};

interface Span {
  readonly startTimestamp: number | undefined;
  readonly endTimestamp: number | undefined;
}

function expected(subnetId: string, { startTimestamp = 0, endTimestamp = Number.POSITIVE_INFINITY }: Span) {
  const found = world.stakers.filter(({ isValidator, status, staker, shares, leftAt }) => {
    const end = status === "removed" ? leftAt! : staker.endTime;
    const isOfSpan = Number(staker.startTime) < endTimestamp && Number(end) > startTimestamp && startTimestamp < endTimestamp;
    return isValidator && shares !== undefined && staker.subnetId === subnetId && isOfSpan;
  });
  const later = (a: bigint | string, b: bigint | string) => (a === b ? 0 : a > b ? -1 : 1);
  return found
    .sort((a, b) => later(a.height, b.height) || later(a.staker.txId, b.staker.txId))
    .map(({ owner, time }) => ({ addresses: owner.map((address) => encodeBech32(world.network.hrp, address)), sortKey: `${time}` }));
}

const texts = (query: Readonly<Record<string, number | undefined>>) =>
  Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]])));

test("lists what a loop over all validators finds, whatever the span and the page", async () => {
  const cache = new Map();
  const second = fc.option(fc.integer({ min: 1_700_000_000 - 50, max: Number(world.time) + 1200 }), { nil: undefined });
  const span = fc.record({ startTimestamp: second, endTimestamp: second });
  const subnet = fc.constantFrom(PRIMARY_NETWORK_ID, ELASTIC, PERMISSIONED, "12".repeat(32));
  await fc.assert(
    fc.asyncProperty(subnet, span, fc.integer({ min: 60, max: 900 }), fc.boolean(), async (subnetId, times, pageSize, isOld) => {
      const asked = { network: isOld ? beforeHelicon : world.network, clock: CLOCK, cache };
      const query = texts({ ...times, pageSize });
      expect(await walk(listValidatorAddresses, store, asked, query, "addresses", { subnetId: formatId(subnetId) })).toEqual(
        expected(subnetId, times),
      );
    }),
    { numRuns: 150 },
  );
  expect(expected(PRIMARY_NETWORK_ID, { startTimestamp: undefined, endTimestamp: undefined }).length).toBeGreaterThan(60);
});

test("a page ends early after many validators that are not of the span, and goes on behind them", async () => {
  const directory = mkdtempSync(join(tmpdir(), "firn-validator-addresses-"));
  const store = await openStore({ directory, mode: "write" });
  try {
    const view = new View();
    for (let height = 1n; height <= 4500n; height += 1n) {
      const txId = idOf(Number(height));
      const validation = { ...PAST, height, timestamp: height * 10n, start: height * 10n, end: height * 10n + 100n };
      view.writeUnread(validations, { txId }, validation);
      view.writeUnread(blocksByTime, { chain: P_CHAIN, timestamp: height * 10n, height }, {});
      listPastValidation(view, txId, validation);
    }
    await store.commit(view.drain());
    const params = { subnetId: formatId(PRIMARY_NETWORK_ID) };
    const page = async (query: Record<string, number>, after?: Position, network = world.network) => {
      const reader = new CountingReader(store);
      const { body, next } = await ask(listValidatorAddresses, reader, { network, clock: CLOCK }, texts(query), { params, after });
      const times = (body.addresses as { sortKey: string }[]).map(({ sortKey }) => Number(sortKey));
      expect(reader.rows).toBeLessThan(4200);
      return { times, next, rows: reader.rows };
    };
    // nothing says that none of the earlier blocks has one
    const startTimestamp = 45_001;
    const first = await page({ startTimestamp, pageSize: 5 });
    expect(first).toMatchObject({ times: [45_000, 44_990, 44_980, 44_970, 44_960], next: { height: 4496n } });
    const second = await page({ startTimestamp, pageSize: 5 }, first.next);
    expect(second).toMatchObject({ times: [44_950, 44_940, 44_930, 44_920, 44_910], next: { height: 2496n } });
    const third = await page({ startTimestamp, pageSize: 5 }, second.next);
    expect(third).toMatchObject({ times: [], next: { height: 496n } });
    expect(await page({ startTimestamp, pageSize: 5 }, third.next)).toMatchObject({ times: [], next: undefined });
    // later blocks are passed over, and so are those of before Helicon that no period lasts from
    const old = await page({ endTimestamp: 51, pageSize: 10 });
    expect(old).toMatchObject({ times: [50, 40, 30, 20, 10], next: undefined });
    expect(old.rows).toBeLessThan(50);
    const short = await page({ startTimestamp: 2_000_000, pageSize: 5 }, undefined, beforeHelicon);
    expect(short).toMatchObject({ times: [], next: undefined });
    expect(short.rows).toBeLessThan(50);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

test("another network's list is 404, and an ID must be one", async () => {
  const page = (query: Record<string, string>, subnetId = formatId(PRIMARY_NETWORK_ID)) =>
    ask(listValidatorAddresses, store, { network: world.network, clock: CLOCK }, query, { params: { subnetId } });
  await expect(page({ network: "mainnet" })).rejects.toMatchObject({ status: 404 });
  expect((await page({ network: "fuji", endTimestamp: "0" })).body).toEqual({ addresses: [] });
  await expect(page({}, "nonsense")).rejects.toThrow("subnetId must be an ID");
});
