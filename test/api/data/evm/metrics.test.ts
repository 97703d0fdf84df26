/** The routes of metrics, page by page, against values computed from the blocks of generated chains. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { getEvmChainMetrics } from "../../../../src/api/data/evm/metrics/get-chain-metrics.ts";
import { getRollingWindowMetrics } from "../../../../src/api/data/evm/metrics/get-rolling-window-metrics.ts";
import { CHAIN_METRICS, type ChainMetric } from "../../../../src/api/data/evm/metrics/metric-values.ts";
import { INTERVALS } from "../../../../src/base/time/intervals.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import type { StoreReader } from "../../../../src/store/store.ts";
import { creationsIn, DAY, HOUR, seenIn, sendersIn, startOf, startOfTime, timedChain, timeOf } from "../../../evm/index/metrics-oracle.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { ask, walk } from "../staking/request.ts";
import { evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

const CHAINS = [3, 4].map((chain) => evmChain({ chain, evmChainId: BigInt(100 + chain) }));

/** Blocks that are counted, each with the time since the one before, unless that is the genesis. */
interface Counted {
  readonly block: EvmBlock;
  readonly gap: bigint | undefined;
}

function countedOf(chain: readonly EvmBlock[]): Counted[] {
  return chain.slice(1).map((block, i) => ({ block, gap: i === 0 ? undefined : timeOf(block) - timeOf(chain[i]!) }));
}

const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n);
const most = (values: readonly number[]) => Math.max(0, ...values);
const divided = (amount: bigint, by: bigint) => (by === 0n ? 0 : Number(amount) / Number(by));
const gasIn = (block: EvmBlock) => sum(block.transactions.map(({ gasUsed }) => gasUsed));

/** The value of an interval's or a window's blocks. @param before all blocks up to their end */
function valueOfBlocks(metric: ChainMetric, within: readonly Counted[], before: readonly Counted[]): number {
  return Number(exactValueOf(metric, within, before));
}

function exactValueOf(metric: ChainMetric, within: readonly Counted[], before: readonly Counted[]): bigint | number {
  const blocks = within.map(({ block }) => block);
  const all = before.map(({ block }) => block);
  const transactions = blocks.flatMap((block) => block.transactions);
  const elapsed = sum(within.map(({ gap }) => gap ?? 0n));
  const highest = (amountOf: (block: EvmBlock) => bigint) =>
    most(within.map(({ block, gap }) => (gap === undefined ? 0 : Number((amountOf(block) * 1_000_000_000n) / (gap || 1000n)) / 1e6)));
  switch (metric) {
    case "activeAddresses":
      return BigInt(seenIn(blocks).size);
    case "activeSenders":
      return BigInt(sendersIn(blocks).size);
    case "cumulativeTxCount":
      return BigInt(all.flatMap((block) => block.transactions).length);
    case "cumulativeAddresses":
      return BigInt(seenIn(all).size);
    case "cumulativeContracts":
      return BigInt(creationsIn(all).length);
    case "cumulativeDeployers":
      return BigInt(new Set(creationsIn(all)).size);
    case "contracts":
      return BigInt(creationsIn(blocks).length);
    case "deployers":
      return BigInt(new Set(creationsIn(blocks)).size);
    case "gasUsed":
      return sum(blocks.map(gasIn));
    case "txCount":
      return BigInt(transactions.length);
    case "avgGps":
      return divided(1000n * sum(blocks.map(gasIn)), elapsed);
    case "maxGps":
      return highest(gasIn);
    case "avgTps":
      return divided(1000n * BigInt(transactions.length), elapsed);
    case "maxTps":
      return highest((block) => BigInt(block.transactions.length));
    case "avgGasPrice":
      return divided(sum(transactions.map(({ gasPrice }) => gasPrice)), BigInt(transactions.length));
    case "maxGasPrice":
      return transactions.map(({ gasPrice }) => gasPrice).sort((a, b) => Number(b - a))[0] ?? 0n;
    case "feesPaid":
      return sum(transactions.map(({ gasUsed, gasPrice }) => gasUsed * gasPrice));
  }
}

/** Newest first, without gaps. */
function startsOf(interval: number, counted: readonly Counted[]): number[] {
  if (counted.length === 0) return [];
  const starts = [startOf(interval, counted[0]!.block)];
  const last = startOf(interval, counted.at(-1)!.block);
  const longest = [HOUR, DAY, 7 * DAY, 31 * DAY][interval]!;
  while (starts.at(-1)! < last) starts.push(startOfTime(interval, starts.at(-1)! + longest));
  return starts.reverse();
}

const asksFor = fc.record({
  metric: fc.constantFrom(...CHAIN_METRICS),
  interval: fc.nat(3),
  pageSize: fc.integer({ min: 1, max: 400 }),
  /** of the chain's time, in millionths */
  from: fc.option(fc.nat(1_000_000), { nil: undefined }),
  until: fc.option(fc.nat(1_000_000), { nil: undefined }),
});

/** Fewer than this, so that a walk over hours ends. */
const MOST_STARTS = 3000;

test("Every page of every metric has what the blocks of its intervals have", async () => {
  await fc.assert(
    fc.asyncProperty(timedChain, fc.array(asksFor, { minLength: 4, maxLength: 8 }), async (chain, asked) => {
      const counted = countedOf(chain);
      await withIndexedChains(new Map([[3, chain]]), async (reader) => {
        for (const { metric, interval: drawn, pageSize, from, until } of asked) {
          const interval = drawn === 0 && startsOf(0, counted).length > MOST_STARTS ? 1 : drawn;
          const all = startsOf(interval, counted);
          const timeAt = (share: number) => Math.floor((all.at(-1) ?? 0) + (share / 1e6) * ((all[0] ?? 0) + DAY - (all.at(-1) ?? 0)));
          const starts = all.filter(
            (start) => start >= (from === undefined ? 0 : timeAt(from)) && (until === undefined || start < timeAt(until)),
          );
          const expected = starts.map((start) => {
            const within = counted.filter(({ block }) => startOf(interval, block) === start);
            const before = counted.filter(({ block }) => startOf(interval, block) <= start);
            return { value: valueOfBlocks(metric, within, before), timestamp: start };
          });
          const query = {
            timeInterval: INTERVALS[interval]!,
            pageSize: `${pageSize}`,
            ...(from !== undefined && { startTimestamp: `${timeAt(from)}` }),
            ...(until !== undefined && { endTimestamp: `${timeAt(until)}` }),
          };
          const params = { chainId: "103", metric };
          const asking = { network, clock: 0n, evmChains: [CHAINS[0]!] };
          expect(await walk(getEvmChainMetrics, reader, asking, query, "results", params)).toEqual(expected);
        }
      });
    }),
    { numRuns: 12 },
  );
});

const WINDOWS = { lastHour: 1, lastDay: 24, lastWeek: 168, lastMonth: 720, last90Days: 2160, lastYear: 8760 };

test("Rolling windows end with the hour of the newest block", async () => {
  await fc.assert(
    fc.asyncProperty(timedChain, async (chain) => {
      const counted = countedOf(chain);
      await withIndexedChains(new Map([[3, chain]]), async (reader) => {
        for (const metric of CHAIN_METRICS.filter((each) => !each.startsWith("cumulative"))) {
          const isShort = metric.startsWith("active");
          const newest = counted.length === 0 ? 0 : startOf(0, counted.at(-1)!.block);
          const values = Object.entries(WINDOWS).flatMap(([name, hours]) => {
            if (isShort && hours > 168) return [];
            const within = counted.filter(({ block }) => startOf(0, block) > newest - hours * HOUR);
            return [[name, valueOfBlocks(metric, within, [])]];
          });
          const all = isShort ? [] : [["allTime", valueOfBlocks(metric, counted, [])]];
          const { body } = await rolling(reader, metric);
          expect(body.result, metric).toEqual(counted.length === 0 ? {} : Object.fromEntries([...values, ...all]));
        }
      });
    }),
    { numRuns: 12 },
  );
});

function rolling(reader: StoreReader, metric: string) {
  return ask(getRollingWindowMetrics, reader, { network, clock: 0n, evmChains: [CHAINS[0]!] }, {}, { params: { chainId: "103", metric } });
}

test("Several chains are added up", async () => {
  const [first, second] = fc.sample(timedChain, { numRuns: 2, seed: 7 });
  await withIndexedChains(
    new Map([
      [3, first!],
      [4, second!],
    ]),
    async (reader) => {
      const counted = [first!, second!].map(countedOf);
      const asked = { network, clock: 0n, evmChains: CHAINS };
      for (const metric of ["txCount", "cumulativeTxCount", "activeAddresses"] as const) {
        const found = await walk(getEvmChainMetrics, reader, asked, { pageSize: "2160" }, "results", { chainId: "total", metric });
        for (const { value, timestamp } of found as { value: number; timestamp: number }[]) {
          const ofChains = counted.map((each) => {
            const within = each.filter(({ block }) => startOf(1, block) === timestamp);
            return valueOfBlocks(
              metric,
              within,
              each.filter(({ block }) => startOf(1, block) <= timestamp),
            );
          });
          expect(value, `${metric} ${timestamp}`).toBe(ofChains.reduce((a, b) => a + b));
        }
      }
    },
  );
});

test("A page reads its rows, and months before it, however long the history is", async () => {
  const [chain] = fc.sample(
    timedChain.filter((blocks) => blocks.length > 10),
    { numRuns: 1, seed: 3 },
  );
  await withIndexedChains(new Map([[3, chain!]]), async (store) => {
    const counting = new CountingReader(store);
    const asked = { network, clock: 0n, evmChains: [CHAINS[0]!] };
    await ask(getEvmChainMetrics, counting, asked, { pageSize: "3" }, { params: { chainId: "103", metric: "txCount" } });
    expect(counting.rows).toBeLessThanOrEqual(3 + 3);
    const rollingReader = new CountingReader(store);
    await rolling(rollingReader, "txCount");
    expect(rollingReader.rows).toBeLessThanOrEqual(1200);
  });
});
