import { method } from "../method.ts";
import { developmentOf, required, SNAPSHOT_ID, text } from "./params.ts";

export const deleteSnapshot = method({
  name: "firn.deleteSnapshot",
  summary: "Deletes a snapshot.",
  cost: "O(size of the store)",
  computeUnits: 100,
  changesState: true,
  params: { snapshotID: text("snapshotID", SNAPSHOT_ID) },
  async handler({ snapshotID }, context) {
    await developmentOf(context).deleteSnapshot(required(snapshotID, "snapshotID", SNAPSHOT_ID));
    return {};
  },
});
