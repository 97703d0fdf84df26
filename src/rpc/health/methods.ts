/** The methods of `/ext/health`; its GET forms are the server's (rpc-avm-info-health 6.1). Unhealthy is an answer, not an error. */
import { type Method, method } from "../method.ts";
import { listOf, string } from "../params.ts";
import { healthReport } from "./report.ts";

const tags = listOf(string);

export const healthMethods: readonly Method[] = [
  method({
    name: "health.health",
    summary: "Results of all checks, or of those with some tags.",
    cost: "no row",
    params: { tags },
    handler: (params, { health }) => healthReport(health.health, params.tags).json,
  }),
  method({
    name: "health.readiness",
    summary: "Whether all chains can be asked.",
    cost: "no row",
    params: { tags },
    handler: (params, { health }) => healthReport(health.readiness, params.tags).json,
  }),
  /** That it answers is all there is to check. */
  method({
    name: "health.liveness",
    summary: "That the endpoint answers.",
    cost: "no row",
    params: { tags },
    handler: (params) => healthReport([], params.tags).json,
  }),
];
