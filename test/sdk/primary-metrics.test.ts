/** Metrics of the primary network through the official SDKs, held against what other routes say of the same moment. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AvaCloudSDK } from "@avalabs/avacloud-sdk";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Serving } from "../../src/serve/serve.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";

const PRIMARY_NETWORK = "11111111111111111111111111111111LpoYY";
const directory = mkdtempSync(join(tmpdir(), "firn-primary-metrics-"));
let serving: Serving;

beforeAll(async () => {
  await importUntil(recordingFolder("latest-1"), directory, {}, "replay");
  serving = await serveAt(directory, 1_900_000_000n);
});

afterAll(async () => {
  await serving?.stop();
  rmSync(directory, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of many forms
async function ask(path: string): Promise<any> {
  return (await fetch(`${serving.url}${path}`)).json();
}

interface Point {
  readonly value: number;
  readonly timestamp: number;
}

interface Listed {
  readonly txHash: string;
  readonly rewards?: { readonly rewardAddresses?: readonly string[] };
  readonly potentialRewards?: { readonly rewardAddresses?: readonly string[] };
}

async function all(pages: AsyncIterable<{ result: { results: Point[] } }>): Promise<Point[]> {
  const points: Point[] = [];
  for await (const { result } of pages) points.push(...result.results);
  return points;
}

const clients = {
  chainkit: () => new Avalanche({ network: "fuji", enableTelemetry: false }),
  avacloud: () => new AvaCloudSDK({ serverURL: serving.url, network: "fuji" }),
};

/** Metrics have a server of their own, which only an option of the call changes. */
const here = () => ({ serverURL: serving.url });

describe.each(["chainkit", "avacloud"] as const)("through %s", (name) => {
  const client = () => clients[name]();

  test("the newest counts of stakers are those of the network's details, and all subnets together are more", async () => {
    const staking = async (metric: "validatorCount" | "validatorWeight" | "delegatorCount" | "delegatorWeight", subnetId?: string) =>
      (await all(await client().metrics.networks.getStakingMetrics({ metric, network: "fuji", subnetId, pageSize: 2 }, here())))[0]!.value;
    const { validatorDetails, delegatorDetails } = await ask("/v1/networks/fuji");
    expect(await staking("validatorCount", PRIMARY_NETWORK)).toBe(validatorDetails.validatorCount);
    expect(`${await staking("validatorWeight", PRIMARY_NETWORK)}`).toBe(validatorDetails.totalAmountStaked);
    expect(await staking("delegatorCount", PRIMARY_NETWORK)).toBe(delegatorDetails.delegatorCount);
    expect(`${await staking("delegatorWeight", PRIMARY_NETWORK)}`).toBe(delegatorDetails.totalAmountStaked);
    expect(await staking("validatorCount")).toBeGreaterThan(validatorDetails.validatorCount);
  });

  test("fees of L1 validators: all of them are those of the supply, and the sums of subnets, nodes and validations", async () => {
    const { l1Validators } = client().metrics;
    const { l1ValidatorFees } = await ask("/v1/avax/supply");
    const { validators } = await ask("/v1/networks/fuji/l1Validators?includeInactiveL1Validators=true&pageSize=100");
    const newest = (answer: { results: Point[] }) => answer.results[0]?.value ?? 0;
    const total = newest((await l1Validators.listMetrics({ metric: "totalCumulativeFeesDaily" }, here())) as never);
    expect(total / 1e9).toBeCloseTo(Number(l1ValidatorFees), 9);
    expect(total).toBeGreaterThan(0);
    let ofValidations = 0;
    for (const { validationId } of validators) {
      const answer = await l1Validators.getMetricsByValidationId(
        { metric: "validationCumulativeFeesDaily", l1ValidationId: validationId },
        here(),
      );
      ofValidations += newest(answer as never);
    }
    // those that were removed have paid, too
    expect(ofValidations).toBeGreaterThan(0);
    expect(ofValidations).toBeLessThanOrEqual(total);
    const active = await ask("/v1/networks/fuji/l1Validators?pageSize=100");
    const paying = newest((await l1Validators.listMetrics({ metric: "totalPayingValidatorsDaily" }, here())) as never);
    expect(paying).toBeGreaterThanOrEqual(active.validators.length);
    const [{ subnetId, nodeId }] = validators;
    const ofSubnet = newest(
      (await l1Validators.getMetricsBySubnetId({ metric: "perSubnetCumulativeFeesPaid", subnetId }, here())) as never,
    );
    const ofNode = newest((await l1Validators.getMetricsByNodeId({ metric: "perNodeCumulativeFeesPaid", nodeId }, here())) as never);
    expect([ofSubnet <= total, ofNode <= total, ofSubnet > 0]).toEqual([true, true, true]);
  });

  test("health where clients of metrics ask for it", async () => {
    expect(await client().metrics.healthCheck(here())).toMatchObject({ status: "ok" });
    if (name === "chainkit") expect(await clients.chainkit().metrics.liveCheck(here())).toMatchObject({ status: "ok" });
  });
});

test("avacloud lists whom validators' rewards go to, those of a subnet and of a span", async () => {
  const listed = async (query: { subnetId: string; startTimestamp?: number; endTimestamp?: number }) => {
    const found: { addresses: string[]; sortKey: string }[] = [];
    const pages = await clients.avacloud().metrics.subnets.getValidators({ ...query, network: "fuji", pageSize: 3 }, here());
    for await (const { result } of pages) found.push(...result.addresses);
    return found;
  };
  const transactions = new Map<string, number>();
  for (let token = ""; token !== undefined; ) {
    const page = await ask(`/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100${token}`);
    for (const { txHash, blockTimestamp } of page.transactions) transactions.set(txHash, blockTimestamp);
    token = page.nextPageToken && `&pageToken=${encodeURIComponent(page.nextPageToken)}`;
  }
  const { validators } = await ask(`/v1/networks/fuji/validators?subnetId=${PRIMARY_NETWORK}&pageSize=100&sortOrder=desc`);
  const wanted = (validators as Listed[]).map(({ txHash, rewards, potentialRewards }) => ({
    addresses: (rewards ?? potentialRewards)?.rewardAddresses,
    sortKey: `${transactions.get(txHash)}`,
  }));
  const found = await listed({ subnetId: PRIMARY_NETWORK });
  expect(found).toHaveLength(wanted.length);
  const shown = wanted.filter(({ addresses, sortKey }) => addresses && sortKey !== "undefined");
  expect(shown.length).toBeGreaterThan(3);
  expect(found).toEqual(expect.arrayContaining(shown));
  const newest = Number(found[0]!.sortKey);
  expect(await listed({ subnetId: PRIMARY_NETWORK, startTimestamp: newest - 1000, endTimestamp: newest })).not.toContainEqual(found[0]);
  expect(await listed({ subnetId: PRIMARY_NETWORK, startTimestamp: newest, endTimestamp: newest + 1 })).toContainEqual(found[0]);
});

test("the hours of P and X add up to their transactions", async () => {
  for (const chain of ["p-chain", "x-chain"]) {
    let listed = 0;
    for (let token = ""; ; ) {
      const page = await ask(`/v1/networks/fuji/blockchains/${chain}/transactions?pageSize=100${token}`);
      listed += page.transactions.length;
      if (page.nextPageToken === undefined) break;
      token = `&pageToken=${encodeURIComponent(page.nextPageToken)}`;
    }
    for (const interval of ["hour", "day", "week", "month"]) {
      let counted = 0;
      for (let token = ""; ; ) {
        const page = await ask(`/v2/networks/fuji/blockchains/${chain}/metrics/txCount?timeInterval=${interval}&pageSize=2160${token}`);
        counted += page.results.reduce((sum: number, { value }: Point) => sum + value, 0);
        if (page.nextPageToken === undefined) break;
        token = `&pageToken=${encodeURIComponent(page.nextPageToken)}`;
      }
      expect(counted, `${chain} by ${interval}`).toBe(listed);
    }
  }
});
