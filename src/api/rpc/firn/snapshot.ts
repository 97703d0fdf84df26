import { method } from "../method.ts";
import { developmentOf } from "./params.ts";

export const snapshot = method({
  name: "firn.snapshot",
  summary: "Copies the whole state, including the clock, for firn.revert.",
  cost: "O(size of the store)",
  computeUnits: 100,
  changesState: true,
  params: {},
  async handler(_params, context) {
    return { snapshotID: await developmentOf(context).snapshot() };
  },
});
