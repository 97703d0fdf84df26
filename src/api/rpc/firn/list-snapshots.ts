import { method } from "../method.ts";
import { rfc3339 } from "../platform/rfc3339.ts";
import { heightsJson } from "./heights.ts";
import { developmentOf } from "./params.ts";

export const listSnapshots = method({
  name: "firn.listSnapshots",
  summary: "The snapshots for firn.revert, with the time of the clock and the heights of all chains.",
  cost: "O(snapshots)",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    const snapshots = await developmentOf(context).snapshots();
    return {
      snapshots: snapshots.map(({ id, time, heights }) => ({
        snapshotID: id,
        time: rfc3339(time),
        unixTime: time,
        heights: heightsJson(context, heights),
      })),
    };
  },
});
