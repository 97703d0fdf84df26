import Type from "typebox";
import { dataRoute } from "../route.ts";
import { healthOf, healthSchema } from "./report.ts";

/** The status is always 200, since the body of an error could not name the checks. `/ext/health` reports failures by its status. */
export const healthCheck = dataRoute({
  method: "GET",
  path: "/health-check",
  operationId: "healthCheck",
  tag: "Health",
  summary: "The last results of this server's health checks, which are those of /ext/health, by name.",
  description: "The answer is 200 whether or not all pass; `status` says it. `index` fails when the index lags behind its source.",
  cost: "O(1): reads no rows",
  computeUnits: 20,
  needs: [],
  query: Type.Object({}),
  response: healthSchema,
  handle: async (_, context) => healthOf(context.readHealth().health),
});

/** The same where clients of metrics ask for it. */
export const metricsHealthCheck = dataRoute({ ...healthCheck, version: 2, operationId: "metricsHealthCheck" });
