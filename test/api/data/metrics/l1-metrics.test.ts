/** Metrics of L1 validators over random histories of weeks, held against sums over all payments. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getStakingMetrics } from "../../../../src/api/data/metrics/get-staking-metrics.ts";
import {
  getMetricsByNodeId,
  getMetricsBySubnetId,
  getMetricsByValidationId,
  getTotalL1ValidatorMetrics,
} from "../../../../src/api/data/metrics/l1-fee-metrics.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { nodeOf } from "../../../chains/platform/state/fixture.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { type ModelL1Validator, NetworkWorld } from "../../../index/primary/network/network-world.ts";
import { ask } from "../staking/request.ts";

const DAY = 86_400;
const directory = mkdtempSync(join(tmpdir(), "firn-l1-metrics-"));
const world = new NetworkWorld(35, { longestStep: 60_000 });
const asked = { network: world.network, clock: 0n };
let store: Store;

beforeAll(async () => {
  store = await openStore({ directory, mode: "write" });
  await world.grow(store, 150, 7);
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Point {
  readonly value: number | bigint;
  readonly timestamp: number;
}

/** All values of a metric by day. */
async function daily(
  route: Parameters<typeof ask>[0],
  metric: string,
  { params = {}, query = {} }: { params?: Record<string, string>; query?: Record<string, string> } = {},
): Promise<Map<number, bigint>> {
  const points: Point[] = [];
  let after: Awaited<ReturnType<typeof ask>>["next"];
  do {
    const { body, next } = await ask(route, store, asked, { pageSize: "5", ...query }, { params: { metric, ...params }, after });
    points.push(...(body.results as Point[]));
    after = next;
  } while (after !== undefined);
  const days = points.map(({ timestamp }) => timestamp / DAY);
  expect(days).toEqual(days.map((_, i) => days[0]! - i));
  return new Map(points.map(({ value, timestamp }) => [timestamp / DAY, BigInt(value)]));
}

interface Expected {
  readonly fees: Map<number, bigint>;
  readonly cumulative: Map<number, bigint>;
  readonly payers: Map<number, bigint>;
}

/** The same from all payments: from the first day on which somebody paid or might have to that of the last block. */
function expected(isMeant: (validator: ModelL1Validator) => boolean): Expected {
  const payers = new Map([...world.payers].map(([day, validators]) => [day, BigInt([...validators].filter(isMeant).length)]));
  const first = Math.min(...[...payers].flatMap(([day, count]) => (count > 0n ? [day] : [])));
  const result: Expected = { fees: new Map(), cumulative: new Map(), payers: new Map() };
  let cumulative = 0n;
  for (let day = first; day <= Number(world.time / BigInt(DAY)); day++) {
    const fees = world.payments
      .filter((payment) => payment.day === day && isMeant(payment.validator))
      .reduce((sum, { amount }) => sum + amount, 0n);
    cumulative += fees;
    result.fees.set(day, fees);
    result.cumulative.set(day, cumulative);
    result.payers.set(day, payers.get(day) ?? 0n);
  }
  return result;
}

describe("fees by day, cumulative ones and who paid are sums over all payments", () => {
  test("of all L1 validators", async () => {
    const { fees, cumulative, payers } = expected(() => true);
    expect(fees.size).toBeGreaterThan(40);
    expect(await daily(getTotalL1ValidatorMetrics, "totalValidatorFeesDaily")).toEqual(fees);
    expect(await daily(getTotalL1ValidatorMetrics, "totalCumulativeFeesDaily")).toEqual(cumulative);
    expect(await daily(getTotalL1ValidatorMetrics, "totalPayingValidatorsDaily")).toEqual(payers);
    expect([...cumulative.values()].at(-1)).toBe(world.fees);
  });

  test("of each subnet", async () => {
    for (const { subnetId } of world.subnets) {
      const { fees, cumulative, payers } = expected(({ row }) => row.subnetId === subnetId);
      const params = { subnetId: formatId(subnetId) };
      expect(await daily(getMetricsBySubnetId, "perSubnetDailyFeesPaid", { params })).toEqual(fees);
      expect(await daily(getMetricsBySubnetId, "perSubnetCumulativeFeesPaid", { params })).toEqual(cumulative);
      expect(await daily(getMetricsBySubnetId, "perSubnetPayingValidators", { params })).toEqual(payers);
    }
  });

  test("of each node and of each validation", async () => {
    for (let i = 1; i <= 6; i++) {
      const { fees, cumulative } = expected(({ row }) => row.nodeId === nodeOf(i));
      const params = { nodeId: formatNodeId(nodeOf(i)) };
      expect(await daily(getMetricsByNodeId, "perNodeDailyFeesPaid", { params })).toEqual(fees);
      expect(await daily(getMetricsByNodeId, "perNodeCumulativeFeesPaid", { params })).toEqual(cumulative);
    }
    for (const { validationId } of world.l1Validators) {
      const { fees, cumulative } = expected((validator) => validator.validationId === validationId);
      const params = { l1ValidationId: formatId(validationId) };
      expect(await daily(getMetricsByValidationId, "validationFeesDaily", { params })).toEqual(fees);
      expect(await daily(getMetricsByValidationId, "validationCumulativeFeesDaily", { params })).toEqual(cumulative);
    }
  });
});

test("validators and their weight are those after the last block of each day, of each subnet and of all", async () => {
  for (const subnetId of [undefined, ...world.subnets.map((subnet) => subnet.subnetId)]) {
    const [counts, weights] = [new Map<number, bigint>(), new Map<number, bigint>()];
    let last: { count: bigint; weight: bigint } | undefined;
    for (let day = Math.min(...world.activeAfter.keys()); day <= Number(world.time / BigInt(DAY)); day++) {
      const active = world.activeAfter.get(day)?.filter((row) => (subnetId ?? row.subnetId) === row.subnetId);
      if (active !== undefined) last = { count: BigInt(active.length), weight: active.reduce((sum, { weight }) => sum + weight, 0n) };
      counts.set(day, last!.count);
      weights.set(day, last!.weight);
    }
    const query = subnetId === undefined ? {} : { subnetId: formatId(subnetId) };
    const answered = {
      count: await daily(getStakingMetrics, "validatorCount", { query }),
      weight: await daily(getStakingMetrics, "validatorWeight", { query }),
    };
    // before the first validator there are no values
    const since = (all: Map<number, bigint>) => new Map([...all].filter(([day]) => answered.count.has(day)));
    expect([...counts].filter(([day, count]) => count > 0n && !answered.count.has(day))).toEqual([]);
    expect(answered).toEqual({ count: since(counts), weight: since(weights) });
  }
});

test("times bound the days: from that of the start on, before the end", async () => {
  const all = [...(await daily(getTotalL1ValidatorMetrics, "totalValidatorFeesDaily"))].sort(([a], [b]) => a - b);
  const days = all.map(([day]) => day);
  const [from, until] = [days[3]!, days[20]!];
  const within = (startTimestamp: number, endTimestamp: number) =>
    daily(getTotalL1ValidatorMetrics, "totalValidatorFeesDaily", {
      query: { startTimestamp: `${startTimestamp}`, endTimestamp: `${endTimestamp}` },
    });
  expect(await within(from * DAY, until * DAY)).toEqual(new Map(all.slice(3, 20)));
  // a day that has begun before the start is not in it; one that ends after the end is
  expect(await within(from * DAY + 1, until * DAY + 1)).toEqual(new Map(all.slice(4, 21)));
  expect((await within(0, 0)).size).toBe(0);
  expect((await within(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).size).toBe(0);
});

test("a page costs its days, not those before", async () => {
  const reads = async (pageSize: number) => {
    const reader = new CountingReader(store);
    await ask(getTotalL1ValidatorMetrics, reader, asked, { pageSize: `${pageSize}` }, { params: { metric: "totalValidatorFeesDaily" } });
    return reader.reads;
  };
  expect(await reads(1)).toBeLessThanOrEqual(15);
  expect(await reads(10)).toBeLessThanOrEqual(33);
});
