/** Metrics of a recorded chain, computed from what its driver intended and from the node's own blocks and receipts. */
import * as avacloud from "@avalabs/avacloud-sdk/models/components/index.js";
import type { Avalanche } from "@avalanche-sdk/chainkit";
import { ChainMetric, ChainRollingWindowMetric } from "@avalanche-sdk/chainkit/models/components";
import { expect } from "vitest";
import type { ExpectedTransfer, PlacedTransaction } from "../conformance/evm/recording.ts";
import { readEvmRecording } from "../conformance/evm/recording.ts";
import { readLines } from "../conformance/json-lines.ts";
import { clientNamed } from "./data-clients.ts";

interface Line {
  readonly height: number;
  readonly block: { readonly timestamp: string; readonly timestampMilliseconds?: string };
  readonly receipts: readonly { readonly gasUsed: string; readonly effectiveGasPrice: string }[];
}

interface CountedBlock {
  readonly height: number;
  readonly seconds: number;
  readonly milliseconds: number;
  /** seconds since the block before, unless that is the genesis */
  readonly gap: number | undefined;
  readonly transactions: readonly PlacedTransaction[];
  readonly receipts: readonly { readonly gasUsed: bigint; readonly price: bigint }[];
}

function readBlocks(folder: string): CountedBlock[] {
  const { transactions } = readEvmRecording(folder);
  const lines = [...readLines<Line>(folder, "C.jsonl")].sort((a, b) => a.height - b.height);
  const blocks: CountedBlock[] = [];
  for (const { height, block, receipts } of lines.slice(1)) {
    const seconds = Number(block.timestamp);
    const milliseconds = Number(block.timestampMilliseconds ?? seconds * 1000);
    const before = blocks.at(-1);
    blocks.push({
      height,
      seconds,
      milliseconds,
      gap: before && (milliseconds - before.milliseconds) / 1000,
      transactions: transactions.filter((each) => each.height === height),
      receipts: receipts.map(({ gasUsed, effectiveGasPrice }) => ({ gasUsed: BigInt(gasUsed), price: BigInt(effectiveGasPrice) })),
    });
  }
  return blocks;
}

const DAY = 86_400;
const dayOf = ({ seconds }: CountedBlock) => seconds - (seconds % DAY);
const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n);
const gasOf = ({ receipts }: CountedBlock) => sum(receipts.map(({ gasUsed }) => gasUsed));

function transfersOf({ erc20, erc721, erc1155 }: PlacedTransaction): ExpectedTransfer[] {
  return [...erc20, ...erc721, ...erc1155].filter(({ fake }) => fake !== true);
}

function sendersIn(blocks: readonly CountedBlock[]): Set<string> {
  const transactions = blocks.flatMap((block) => block.transactions);
  return new Set(transactions.flatMap((each) => [each.from, ...transfersOf(each).map(({ from }) => from)]));
}

function addressesIn(blocks: readonly CountedBlock[]): Set<string> {
  const transactions = blocks.flatMap((block) => block.transactions);
  const receivers = transactions.flatMap((each) => [...(each.to === null ? [] : [each.to]), ...transfersOf(each).map(({ to }) => to)]);
  return new Set([...sendersIn(blocks), ...receivers]);
}

const creatorsIn = (blocks: readonly CountedBlock[]) =>
  blocks.flatMap(({ transactions }) => transactions.flatMap(({ deployments }) => deployments.map(({ creator }) => creator)));

/** @param all blocks up to the end of these */
function valueOfBlocks(metric: ChainMetric, blocks: readonly CountedBlock[], all: readonly CountedBlock[]): number {
  const receipts = blocks.flatMap((block) => block.receipts);
  const elapsed = blocks.reduce((seconds, { gap = 0 }) => seconds + gap, 0);
  const highest = (amountOf: (block: CountedBlock) => number) =>
    Math.max(0, ...blocks.map((block) => (block.gap === undefined ? 0 : amountOf(block) / (block.gap || 1))));
  const values: Record<ChainMetric, () => number> = {
    activeAddresses: () => addressesIn(blocks).size,
    activeSenders: () => sendersIn(blocks).size,
    cumulativeTxCount: () => all.flatMap(({ transactions }) => transactions).length,
    cumulativeAddresses: () => addressesIn(all).size,
    cumulativeContracts: () => creatorsIn(all).length,
    cumulativeDeployers: () => new Set(creatorsIn(all)).size,
    contracts: () => creatorsIn(blocks).length,
    deployers: () => new Set(creatorsIn(blocks)).size,
    gasUsed: () => Number(sum(blocks.map(gasOf))),
    txCount: () => receipts.length,
    avgGps: () => Number(sum(blocks.map(gasOf))) / elapsed,
    maxGps: () => highest((block) => Number(gasOf(block))),
    avgTps: () => receipts.length / elapsed,
    maxTps: () => highest(({ receipts: { length } }) => length),
    avgGasPrice: () => Number(sum(receipts.map(({ price }) => price))) / receipts.length,
    maxGasPrice: () => Math.max(...receipts.map(({ price }) => Number(price))),
    feesPaid: () => Number(sum(receipts.map(({ gasUsed, price }) => gasUsed * price))),
  };
  return values[metric]();
}

/** Asks the clients for every metric, and for each rolling window. */
export async function expectMetrics(serverURL: string, folder: string, chainId: string): Promise<void> {
  const blocks = readBlocks(folder);
  const days = [...new Set(blocks.map(dayOf))].reverse();
  for (const name of ["chainkit", "avacloud"] as const) {
    // the two differ in the names of their types
    const { metrics } = clientNamed(name, { serverUrl: serverURL }).root as Avalanche;
    for (const metric of Object.values(name === "chainkit" ? ChainMetric : avacloud.ChainMetric)) {
      const results: { value: number; timestamp: number }[] = [];
      for await (const { result } of await metrics.chains.getMetrics({ metric, chainId, timeInterval: "day", pageSize: 1 }, { serverURL }))
        results.push(...result.results);
      expect(
        results.map(({ timestamp }) => timestamp),
        metric,
      ).toEqual(days);
      for (const { value, timestamp } of results) {
        const within = blocks.filter((block) => dayOf(block) === timestamp);
        const expected = valueOfBlocks(
          metric,
          within,
          blocks.filter((block) => dayOf(block) <= timestamp),
        );
        expect(value, `${metric} of ${timestamp}`).toBeCloseTo(expected, 4);
      }
    }
    for (const metric of Object.values(name === "chainkit" ? ChainRollingWindowMetric : avacloud.ChainRollingWindowMetric)) {
      const { result } = await metrics.chains.getRollingWindowMetrics({ metric, chainId }, { serverURL });
      if (!metric.startsWith("active")) expect(result.allTime, metric).toBeCloseTo(valueOfBlocks(metric, blocks, blocks), 4);
      const hour = blocks.at(-1)!.seconds - (blocks.at(-1)!.seconds % 3600);
      const newest = blocks.filter(({ seconds }) => seconds >= hour);
      expect(result.lastHour, metric).toBeCloseTo(valueOfBlocks(metric, newest, newest), 4);
    }
    const chains = [];
    for await (const { result } of await metrics.chains.list({ network: "fuji" }, { serverURL })) chains.push(...result.chains);
    expect(chains).toEqual([await metrics.chains.get({ chainId }, { serverURL })]);
    expect(`${chains[0]!.evmChainId}`).toBe(chainId);
  }
}
