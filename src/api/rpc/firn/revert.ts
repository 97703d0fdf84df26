import { method } from "../method.ts";
import { clockJson } from "./clock-json.ts";
import { chainHeights } from "./heights.ts";
import { developmentOf, required, SNAPSHOT_ID, text } from "./params.ts";

export const revert = method({
  name: "firn.revert",
  summary: "Restores a snapshot, including the clock. The snapshot stays; waiting transactions are dropped.",
  cost: "O(size of the store)",
  computeUnits: 100,
  changesState: true,
  params: { snapshotID: text("snapshotID", SNAPSHOT_ID) },
  async handler({ snapshotID }, context) {
    const development = developmentOf(context);
    await development.revert(required(snapshotID, "snapshotID", SNAPSHOT_ID));
    return { ...clockJson(development), heights: await chainHeights(context) };
  },
});
