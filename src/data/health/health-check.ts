import Type from "typebox";
import { dataRoute } from "../route.ts";
import { healthOf, healthSchema } from "./report.ts";

/** The status is 200 either way: the body of an error could not name the checks. `/ext/health` tells by its status. */
export const healthCheck = dataRoute({
  method: "GET",
  path: "/health-check",
  operationId: "healthCheck",
  tag: "Health",
  summary: "Which checks of this server pass: the last results of those behind /ext/health, by name.",
  description: "The answer is 200 whether or not all pass; `status` says it. `index` fails when the index lags behind its source.",
  cost: "O(1): reads no rows",
  computeUnits: 20,
  needs: [],
  query: Type.Object({}),
  response: healthSchema,
  handle: async (_, { health }) => healthOf(health.health),
});
