/** All routes of the Data API. A new route is its file and a line here. */
import type { AnyDataRoute } from "./route.ts";

export const dataRoutes: readonly AnyDataRoute[] = [];
