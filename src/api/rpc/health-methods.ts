/**
 * The methods of `/ext/health`. The server answers its GET forms (rpc-avm-info-health 6.1). An unhealthy node is a result, not an error.
 */

import { healthReport } from "../state/health-report.ts";
import { type Method, method } from "./method.ts";
import { listOf, string } from "./params.ts";

const tags = listOf(string);

export const healthMethods: readonly Method[] = [
  method({
    name: "health.health",
    summary: "Results of all checks, or of those with some tags.",
    cost: "no row",
    computeUnits: 0,
    params: { tags },
    handler: (params, context) => healthReport(context.beyondState().health.health, params.tags).json,
  }),
  method({
    name: "health.readiness",
    summary: "Whether all chains can answer requests.",
    cost: "no row",
    computeUnits: 0,
    params: { tags },
    handler: (params, context) => healthReport(context.beyondState().health.readiness, params.tags).json,
  }),
  /** Answering is the whole check. */
  method({
    name: "health.liveness",
    summary: "Whether the endpoint answers.",
    cost: "no row",
    computeUnits: 0,
    params: { tags },
    handler: (params) => healthReport([], params.tags).json,
  }),
];
