import { method } from "../method.ts";
import { clockJson } from "./clock-json.ts";
import { chainHeights } from "./heights.ts";
import { developmentOf, required, text } from "./params.ts";

const WANTED = "an ID that firn.snapshot returned; firn.listSnapshots lists them";

export const revert = method({
  name: "firn.revert",
  summary: "Restores a snapshot, including the clock. The snapshot stays; waiting transactions are dropped.",
  cost: "O(size of the store)",
  computeUnits: 100,
  changesState: true,
  params: { snapshotID: text("snapshotID", WANTED) },
  async handler({ snapshotID }, context) {
    const development = developmentOf(context);
    await development.revert(required(snapshotID, "snapshotID", WANTED));
    return { ...clockJson(development), heights: await chainHeights(context) };
  },
});
