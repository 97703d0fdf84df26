/** Values of metrics, from the rows of one interval of each of some chains. */
import type { TableValue } from "../../../../base/table/table.ts";
import type { evmMetrics } from "../../../../evm/index/metric-tables.ts";
import type { MetricValue } from "../../metrics/metric-schemas.ts";

export type MetricRow = TableValue<typeof evmMetrics>;

/** In the order in which the official SDKs have them. */
export const CHAIN_METRICS = [
  "activeAddresses",
  "activeSenders",
  "cumulativeTxCount",
  "cumulativeAddresses",
  "cumulativeContracts",
  "cumulativeDeployers",
  "contracts",
  "deployers",
  "gasUsed",
  "txCount",
  "avgGps",
  "maxGps",
  "avgTps",
  "maxTps",
  "avgGasPrice",
  "maxGasPrice",
  "feesPaid",
] as const;
export type ChainMetric = (typeof CHAIN_METRICS)[number];

/** Members of rows that are added up. */
type Summed = Exclude<keyof MetricRow, "maxGasPrice" | "maxTps" | "maxGps">;

export const CUMULATIVE: ReadonlyMap<ChainMetric, Summed> = new Map([
  ["cumulativeTxCount", "transactions"],
  ["cumulativeAddresses", "newAddresses"],
  ["cumulativeContracts", "contracts"],
  ["cumulativeDeployers", "newDeployers"],
]);

const SUMS: ReadonlyMap<ChainMetric, Summed> = new Map([
  ["activeAddresses", "addresses"],
  ["activeSenders", "senders"],
  ["contracts", "contracts"],
  ["deployers", "deployers"],
  ["gasUsed", "gasUsed"],
  ["txCount", "transactions"],
  ["feesPaid", "feesPaid"],
]);

export function sumOf(rows: readonly MetricRow[], member: Summed): bigint {
  return rows.reduce((sum, row) => sum + row[member], 0n);
}

const MILLION = 1e6;

/** @param chains the rows of each chain. Rates of several chains are added up, the highest is that of one chain */
export function valueIn(metric: ChainMetric, chains: readonly (readonly MetricRow[])[]): MetricValue {
  const rows = chains.flat();
  const summed = SUMS.get(metric) ?? CUMULATIVE.get(metric);
  if (summed !== undefined) return sumOf(rows, summed);
  switch (metric) {
    case "avgTps":
      return ratesOf(chains, "transactions");
    case "avgGps":
      return ratesOf(chains, "gasUsed");
    case "maxTps":
      return Number(highestOf(rows, "maxTps")) / MILLION;
    case "maxGps":
      return Number(highestOf(rows, "maxGps")) / MILLION;
    case "maxGasPrice":
      return highestOf(rows, "maxGasPrice");
    default:
      return quotient(sumOf(rows, "gasPrices"), sumOf(rows, "transactions"));
  }
}

function ratesOf(chains: readonly (readonly MetricRow[])[], member: Summed): number {
  return chains.reduce((sum, rows) => sum + quotient(1000n * sumOf(rows, member), sumOf(rows, "milliseconds")), 0);
}

function quotient(amount: bigint, by: bigint): number {
  return by === 0n ? 0 : Number(amount) / Number(by);
}

function highestOf(rows: readonly MetricRow[], member: "maxGasPrice" | "maxTps" | "maxGps"): bigint {
  let highest = 0n;
  for (const { [member]: value } of rows) if (value > highest) highest = value;
  return highest;
}
