/**
 * Tables of an EVM chain's metrics: sums and counts by hour, day, week and month. Table IDs 356–360. They are written with the block that
 * they count, and undone with it. An hour is a number since 1970.
 */
import { u8, u32, u64 } from "../../base/codec/codec.ts";
import { integer256, signedInteger, varint, varint64 } from "../../base/codec/varint.ts";
import { shortId, table } from "../../base/table/table.ts";

/** The blocks that are counted, without a gap. */
export const evmMetricRanges = table({
  id: 356,
  name: "evm_metric_ranges",
  key: { chain: u32 },
  value: {
    first: u64,
    last: u64,
    /** Unix time of the last */
    milliseconds: u64,
  },
});

/** The key has the number of the interval in `INTERVALS` and where it begins, in Unix seconds. Only intervals with blocks have rows. */
export const evmMetrics = table({
  id: 357,
  name: "evm_metrics",
  key: { chain: u32, interval: u8, start: u64 },
  value: {
    transactions: varint64,
    gasUsed: integer256,
    /** wei: sum of gas used × effective price */
    feesPaid: signedInteger,
    /** wei: sum of the transactions' effective prices */
    gasPrices: signedInteger,
    maxGasPrice: integer256,
    /** from the block before the first to the last; without the time since the genesis */
    milliseconds: varint64,
    /** the highest of a block, in millionths of a transaction a second */
    maxTps: varint64,
    /** the highest of a block, in millionths of a unit of gas a second */
    maxGps: integer256,
    contracts: varint64,
    /** distinct addresses */
    addresses: varint64,
    senders: varint64,
    deployers: varint64,
    /** that were never seen before */
    newAddresses: varint64,
    newDeployers: varint64,
    /** addresses whose newest activity is in this hour; right for a week, and only kept for hours */
    lastAddresses: varint64,
    lastSenders: varint64,
    /** deployers whose newest deployment is in it */
    lastDeployers: varint64,
  },
});

/** Addresses in "from" or "to" of a transaction or of a token's transfer. */
export const evmActivity = table({
  id: 358,
  name: "evm_activity",
  key: { chain: u32, address: shortId },
  value: {
    /** hour of its newest activity */
    seen: varint,
    /** 1 + the hour when it was last in "from"; 0: never */
    sent: varint,
  },
});

/** Who created contracts: accounts, or contracts. */
export const evmDeployers = table({
  id: 359,
  name: "evm_deployers",
  key: { chain: u32, deployer: shortId },
  value: { firstHour: varint, lastHour: varint },
});

/** Intervals in which somebody created contracts. */
export const evmDeployerIntervals = table({
  id: 360,
  name: "evm_deployer_intervals",
  key: { chain: u32, deployer: shortId, interval: u8, start: u64 },
  value: {},
});
