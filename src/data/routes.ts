/** All routes of the Data API. A new route is its file and a line here. */
import { listDelegators } from "./delegators/list-delegators.ts";
import { healthCheck } from "./health/health-check.ts";
import { liveCheck } from "./health/live-check.ts";
import type { AnyDataRoute } from "./route.ts";
import { getValidatorDetails } from "./validators/get-validator-details.ts";
import { listValidators } from "./validators/list-validators.ts";

export const dataRoutes: readonly AnyDataRoute[] = [healthCheck, liveCheck, listValidators, getValidatorDetails, listDelegators];
