/** All projections of the primary network, in the order in which they run. To add one, write its file and a line here. */
import { blockProjection, vertexProjection } from "./block-projection.ts";
import { l1Projection } from "./l1s/l1-projection.ts";
import { activityProjection } from "./metrics/activity-projection.ts";
import { l1FeeMetrics } from "./metrics/l1-fee-metrics.ts";
import { stakingMetrics } from "./metrics/staking-metrics.ts";
import { networkTotals } from "./network/network-totals.ts";
import { nameProjection, subnetProjection } from "./network/subnet-projection.ts";
import type { Projection } from "./projection.ts";
import { stakingProjection } from "./staking/staking-projection.ts";
import { transactionProjection } from "./transactions/transaction-projection.ts";

export const projections: readonly Projection[] = [
  subnetProjection,
  nameProjection,
  l1Projection,
  networkTotals,
  blockProjection,
  transactionProjection,
  // lists staking transactions by their rows
  stakingProjection,
  vertexProjection,
  activityProjection,
  stakingMetrics,
  l1FeeMetrics,
];
