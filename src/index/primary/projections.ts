/** All projections of the primary network, in the order in which they run. A new one is its file and a line here. */
import { blockProjection } from "./block-projection.ts";
import { l1Projection } from "./l1-projection.ts";
import { networkTotals } from "./network-totals.ts";
import type { Projection } from "./projection.ts";
import { stakingProjection } from "./staking-projection.ts";
import { subnetProjection } from "./subnet-projection.ts";
import { transactionProjection } from "./transaction-projection.ts";
import { vertexProjection } from "./vertex-projection.ts";

export const projections: readonly Projection[] = [
  subnetProjection,
  l1Projection,
  networkTotals,
  stakingProjection,
  blockProjection,
  transactionProjection,
  vertexProjection,
];
