import { method } from "../method.ts";
import { developmentOf } from "./params.ts";

export const snapshot = method({
  name: "firn.snapshot",
  summary: "Copies the whole state, the clock included, for firn.revert.",
  cost: "O(size of the store)",
  changesState: true,
  params: {},
  async handler(_params, context) {
    return { snapshotID: await developmentOf(context).snapshot() };
  },
});
