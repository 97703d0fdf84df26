/** Answers that are not made from the store, as health and metrics, have the heights of its newest state all the same. */

import type { CommittedStates } from "../api/state/committed-states.ts";
import type { Endpoint } from "./endpoint.ts";

/** The endpoint, with the heights at the time of its answer: nobody else may have asked for anything since the process began. */
export function withNewestHeights(endpoint: Endpoint, states: CommittedStates): Endpoint {
  return {
    ...endpoint,
    async handle(...request) {
      const response = await endpoint.handle(...request);
      if (response.heights !== undefined) return response;
      // a store that cannot be read is no reason to say nothing of the node's health
      const heights = await states.use((state) => state.heights).catch(() => states.newestHeights());
      return { ...response, heights };
    },
  };
}
