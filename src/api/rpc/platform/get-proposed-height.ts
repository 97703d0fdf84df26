import { method } from "../method.ts";
import { proposedHeight } from "./proposed-height.ts";

export const getProposedHeight = method({
  name: "platform.getProposedHeight",
  summary: "The P-chain height that a block proposed now would carry.",
  cost: "64 rows once per height",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    return { height: `${await proposedHeight(context)}` };
  },
});
