import Type from "typebox";
import { dataRoute } from "../route.ts";
import { healthOf, healthSchema } from "./report.ts";

/** Free, so that probes need no key. */
export const liveCheck = dataRoute({
  method: "GET",
  path: "/live-check",
  operationId: "liveCheck",
  tag: "Health",
  summary: "Whether this server answers at all. It does not check the index.",
  cost: "O(1): reads no rows",
  computeUnits: 0,
  needs: [],
  query: Type.Object({}),
  response: healthSchema,
  handle: async () => healthOf([]),
});

/** The same where clients of metrics ask for it. */
export const metricsLiveCheck = dataRoute({ ...liveCheck, version: 2, operationId: "metricsLiveCheck" });
