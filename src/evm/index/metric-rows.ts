/**
 * Rows of an EVM chain's metrics. Each block changes one row of each interval, and a row of each address that was not seen in this hour.
 * Their meanings are those of the hosted service, as the official SDKs describe them.
 */
import { larger, smaller } from "../../base/bytes/amount.ts";
import type { TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey } from "../../base/table/view.ts";
import { countedSeconds, HOUR, HOUR_SECONDS, hourOf, INTERVALS, intervalStart, LATEST_SECONDS } from "../../base/time/intervals.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { Deployment, EvmFacts } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import { type ActiveAddresses, type CountedAddresses, NEVER } from "./counted-addresses.ts";
import { evmActivity, evmDeployerIntervals, evmDeployers, evmMetricRanges, evmMetrics } from "./metric-tables.ts";

/** Sums and addresses of a block, for metrics. */
export interface BlockMetrics extends ActiveAddresses {
  /** Unix time */
  readonly milliseconds: bigint;
  readonly gasUsed: bigint;
  readonly feesPaid: bigint;
  readonly gasPrices: bigint;
  readonly maxGasPrice: bigint;
}

/** Pure. */
export function metricsOf({ block, transactions }: EvmFacts): BlockMetrics {
  let [gasUsed, feesPaid, gasPrices, maxGasPrice] = [0n, 0n, 0n, 0n];
  const active = new Map<Address, boolean>();
  const isIn = (address: Address, isSender: boolean) => {
    if (isSender) active.set(address, true);
    else if (!active.has(address)) active.set(address, false);
  };
  for (const { transaction, transfers } of transactions) {
    const { gasPrice, from, to } = transaction;
    gasUsed += transaction.gasUsed;
    feesPaid += transaction.gasUsed * gasPrice;
    gasPrices += gasPrice;
    if (gasPrice > maxGasPrice) maxGasPrice = gasPrice;
    isIn(from, true);
    if (to !== undefined) isIn(to, false);
    for (const transfer of transfers) {
      isIn(transfer.from, true);
      isIn(transfer.to, false);
    }
  }
  return {
    milliseconds: smaller(block.timestampMilliseconds ?? block.timestamp * 1000n, LATEST_SECONDS * 1000n),
    gasUsed,
    feesPaid,
    gasPrices,
    maxGasPrice,
    senders: [...active].flatMap(([address, isSender]) => (isSender ? [address] : [])),
    receivers: [...active].flatMap(([address, isSender]) => (isSender ? [] : [address])),
  };
}

type MetricRow = TableValue<typeof evmMetrics>;

const EMPTY: MetricRow = {
  transactions: 0n,
  gasUsed: 0n,
  feesPaid: 0n,
  gasPrices: 0n,
  maxGasPrice: 0n,
  milliseconds: 0n,
  maxTps: 0n,
  maxGps: 0n,
  contracts: 0n,
  addresses: 0n,
  senders: 0n,
  deployers: 0n,
  newAddresses: 0n,
  newDeployers: 0n,
  lastAddresses: 0n,
  lastSenders: 0n,
  lastDeployers: 0n,
};

/** Hours in which newest activity is counted. */
export const ROLLING_HOURS = 7 * 24;

/** The block that is counted. */
export interface CountedBlock {
  readonly chain: number;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly transactions: number;
  readonly metrics: BlockMetrics;
  readonly deployments: readonly Pick<Deployment, "deployer" | "factory">[];
}

/** Who called CREATE. */
function creatorsOf(deployments: CountedBlock["deployments"]): Set<Address> {
  return new Set(deployments.map(({ deployer, factory }) => factory ?? deployer));
}

/** The keys of the rows of all intervals with this time. */
function intervalKeys(chain: number, seconds: number) {
  return INTERVALS.map((_, interval) => ({ chain, interval, start: BigInt(intervalStart(interval, seconds)) }));
}

function deployerKeys(chain: number, seconds: number, deployments: CountedBlock["deployments"]): RowKey[] {
  const intervals = intervalKeys(chain, seconds);
  return [...creatorsOf(deployments)].flatMap((deployer) => [
    rowKey(evmDeployers, { chain, deployer }),
    ...intervals.map(({ interval, start }) => rowKey(evmDeployerIntervals, { chain, deployer, interval, start })),
  ]);
}

/** Keys that `writeMetrics` reads. The keys of `metricKeysNext` follow from their rows. */
export function metricKeys(block: CountedBlock, counted: CountedAddresses): RowKey[] {
  const { chain, deployments } = block;
  const seconds = countedSeconds(block.timestamp);
  return [
    rowKey(evmMetricRanges, { chain }),
    ...intervalKeys(chain, seconds).map((key) => rowKey(evmMetrics, key)),
    ...counted.freshOf(block.timestamp, block.metrics).map(({ address }) => rowKey(evmActivity, { chain, address })),
    ...deployerKeys(chain, seconds, deployments),
  ];
}

/** @param read a row that was fetched */
export function metricKeysNext(block: CountedBlock, counted: CountedAddresses, read: BlockWriter["read"]): RowKey[] {
  const { chain, deployments } = block;
  const hour = hourOf(block.timestamp);
  const hours = new Set<number>();
  for (const { address } of counted.freshOf(block.timestamp, block.metrics)) {
    const row = read(evmActivity, { chain, address });
    if (row === undefined) continue;
    for (const last of [row.seen, row.sent - 1]) if (last !== NEVER && last !== hour && isRolling(last, hour)) hours.add(last);
  }
  return [...[...hours].map((each) => rowKey(evmMetrics, hourKey(chain, each))), ...keysOfKnownDeployers(chain, deployments, read)];
}

/** Rows in which they were counted before. */
function keysOfKnownDeployers(chain: number, deployments: CountedBlock["deployments"], read: BlockWriter["read"]): RowKey[] {
  return [...creatorsOf(deployments)].flatMap((deployer) => {
    const row = read(evmDeployers, { chain, deployer });
    if (row === undefined) return [];
    return [row.firstHour, row.lastHour].flatMap((hour) => intervalKeys(chain, hour * HOUR_SECONDS).map((key) => rowKey(evmMetrics, key)));
  });
}

function hourKey(chain: number, hour: number) {
  return { chain, interval: HOUR, start: BigInt(hour * HOUR_SECONDS) };
}

function isRolling(hour: number, now: number): boolean {
  return hour > now - ROLLING_HOURS;
}

/** Changes of rows of `evm_metrics`, gathered so that each is written once. */
class MetricChanges {
  readonly #writer: BlockWriter;
  readonly #rows = new Map<string, { readonly key: { chain: number; interval: number; start: bigint }; row: MetricRow }>();

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  change(key: { chain: number; interval: number; start: bigint }, change: (row: MetricRow) => Partial<MetricRow>): void {
    const name = `${key.interval}|${key.start}`;
    const known = this.#rows.get(name);
    const row = known?.row ?? this.#writer.read(evmMetrics, key) ?? EMPTY;
    const after = { ...row, ...change(row) };
    if (known === undefined) this.#rows.set(name, { key, row: after });
    else known.row = after;
  }

  write(): void {
    for (const { key, row } of this.#rows.values()) this.#writer.change(evmMetrics, key, this.#writer.read(evmMetrics, key), row);
  }
}

/** Counts a block. The genesis counts nothing: nobody sent its transactions, and its time may be any. */
export function writeMetrics(writer: BlockWriter, block: CountedBlock, known: CountedAddresses): void {
  const { chain, height, timestamp, transactions, metrics, deployments } = block;
  const { milliseconds, gasUsed, feesPaid, gasPrices, maxGasPrice } = metrics;
  const before = writer.read(evmMetricRanges, { chain });
  const isNext = before?.last === height - 1n;
  writer.change(evmMetricRanges, { chain }, before, { first: isNext ? before.first : height, last: height, milliseconds });
  if (height === 0n) return;
  const seconds = countedSeconds(timestamp);
  const elapsed = isNext && before.last !== 0n ? elapsedOf(milliseconds - before.milliseconds) : undefined;
  const [tps, gps] = [rateOf(BigInt(transactions), elapsed), rateOf(gasUsed, elapsed)];
  const changes = new MetricChanges(writer);
  const counted = countActive(writer, changes, block, known);
  for (const [interval, key] of intervalKeys(chain, seconds).entries()) {
    const { addresses, senders } = counted.intervals[interval]!;
    changes.change(key, (row) => ({
      transactions: row.transactions + BigInt(transactions),
      gasUsed: row.gasUsed + gasUsed,
      feesPaid: row.feesPaid + feesPaid,
      gasPrices: row.gasPrices + gasPrices,
      maxGasPrice: larger(row.maxGasPrice, maxGasPrice),
      milliseconds: row.milliseconds + (elapsed === undefined ? 0n : larger(milliseconds - before!.milliseconds, 0n)),
      maxTps: larger(row.maxTps, tps),
      maxGps: larger(row.maxGps, gps),
      addresses: row.addresses + addresses,
      senders: row.senders + senders,
      newAddresses: row.newAddresses + counted.newAddresses,
    }));
  }
  countDeployments(writer, changes, { chain, seconds, deployments });
  changes.write();
}

/** Blocks of one moment count as if a second were between them: the clocks of most chains show no less. */
function elapsedOf(milliseconds: bigint): bigint {
  return milliseconds > 0n ? milliseconds : 1000n;
}

/** Millionths a second. */
function rateOf(amount: bigint, elapsed: bigint | undefined): bigint {
  return elapsed === undefined ? 0n : (amount * 1_000_000_000n) / elapsed;
}

/** Writes when each address was active, and returns how many of them were not yet, by interval. */
function countActive(writer: BlockWriter, changes: MetricChanges, block: CountedBlock, known: CountedAddresses) {
  const { chain, timestamp } = block;
  const seconds = countedSeconds(timestamp);
  const hour = hourOf(timestamp);
  const firstHours = INTERVALS.map((_, interval) => Math.floor(intervalStart(interval, seconds) / HOUR_SECONDS));
  const intervals = INTERVALS.map(() => ({ addresses: 0n, senders: 0n }));
  const leaving = new Map<number, { lastAddresses: bigint; lastSenders: bigint }>();
  const arriving = { lastAddresses: 0n, lastSenders: 0n };
  const move = (from: number, name: keyof typeof arriving) => {
    arriving[name]++;
    if (from === NEVER || !isRolling(from, hour)) return;
    const counts = leaving.get(from) ?? { lastAddresses: 0n, lastSenders: 0n };
    counts[name]++;
    leaving.set(from, counts);
  };
  let newAddresses = 0n;
  for (const each of known.freshOf(timestamp, block.metrics)) {
    const { address, isSender } = each;
    if (known.has(hour, address, isSender)) continue;
    known.add(hour, each);
    const key = { chain, address };
    const row = writer.read(evmActivity, key);
    const seen = row?.seen ?? NEVER;
    const sent = (row?.sent ?? 0) - 1;
    if (seen >= hour && (!isSender || sent >= hour)) continue;
    if (row === undefined) newAddresses++;
    if (seen < hour) {
      for (const [interval, first] of firstHours.entries()) if (seen < first) intervals[interval]!.addresses++;
      move(seen, "lastAddresses");
    }
    if (isSender && sent < hour) {
      for (const [interval, first] of firstHours.entries()) if (sent < first) intervals[interval]!.senders++;
      move(sent, "lastSenders");
    }
    writer.change(evmActivity, key, row, { seen: Math.max(seen, hour), sent: 1 + (isSender ? Math.max(sent, hour) : sent) });
  }
  leaving.set(hour, { lastAddresses: -arriving.lastAddresses, lastSenders: -arriving.lastSenders });
  for (const [from, { lastAddresses, lastSenders }] of leaving) {
    changes.change(hourKey(chain, from), (row) => ({
      lastAddresses: row.lastAddresses - lastAddresses,
      lastSenders: row.lastSenders - lastSenders,
    }));
  }
  return { intervals, newAddresses };
}

interface CountedDeployments extends Pick<CountedBlock, "chain" | "deployments"> {
  readonly seconds: number;
}

/** Deployments may be found in any order, since the call traces of a block may come after later blocks. */
function countDeployments(writer: BlockWriter, changes: MetricChanges, { chain, seconds, deployments }: CountedDeployments): void {
  if (deployments.length === 0) return;
  const hour = Math.floor(seconds / HOUR_SECONDS);
  const keys = intervalKeys(chain, seconds);
  const add = (key: (typeof keys)[number], name: "contracts" | "deployers" | "newDeployers" | "lastDeployers", count = 1n) =>
    changes.change(key, (row) => ({ [name]: row[name] + count }));
  for (const key of keys) add(key, "contracts", BigInt(deployments.length));
  for (const deployer of creatorsOf(deployments)) {
    for (const key of keys) {
      const ofInterval = { chain, deployer, interval: key.interval, start: key.start };
      if (writer.read(evmDeployerIntervals, ofInterval) !== undefined) continue;
      writer.change(evmDeployerIntervals, ofInterval, undefined, {});
      add(key, "deployers");
    }
    const known = writer.read(evmDeployers, { chain, deployer });
    const firstHour = Math.min(known?.firstHour ?? hour, hour);
    const lastHour = Math.max(known?.lastHour ?? hour, hour);
    if (known?.firstHour === firstHour && known.lastHour === lastHour) continue;
    writer.change(evmDeployers, { chain, deployer }, known, { firstHour, lastHour });
    for (const [name, from, to] of [
      ["newDeployers", known?.firstHour, firstHour],
      ["lastDeployers", known?.lastHour, lastHour],
    ] as const) {
      if (from === to) continue;
      if (from !== undefined) for (const key of intervalKeys(chain, from * HOUR_SECONDS)) add(key, name, -1n);
      for (const key of intervalKeys(chain, to * HOUR_SECONDS)) add(key, name);
    }
  }
}

/** Deployments that call traces show once their block is counted. */
export interface FoundDeployments extends CountedDeployments {
  readonly height: bigint;
}

/** Keys that `writeFoundDeployments` reads. Those of `foundKeysNext` follow from their rows. */
export function foundKeys({ chain, seconds, deployments }: FoundDeployments): RowKey[] {
  const intervals = intervalKeys(chain, seconds).map((key) => rowKey(evmMetrics, key));
  return [rowKey(evmMetricRanges, { chain }), ...intervals, ...deployerKeys(chain, seconds, deployments)];
}

export function foundKeysNext({ chain, deployments }: FoundDeployments, read: BlockWriter["read"]): RowKey[] {
  return keysOfKnownDeployers(chain, deployments, read);
}

export function writeFoundDeployments(writer: BlockWriter, found: FoundDeployments): void {
  const range = writer.read(evmMetricRanges, { chain: found.chain });
  if (range === undefined || found.height < range.first || found.height === 0n) return;
  const changes = new MetricChanges(writer);
  countDeployments(writer, changes, found);
  changes.write();
}
