import { method } from "../method.ts";
import { chainState } from "./chain.ts";

export const getHeight = method({
  name: "avm.getHeight",
  summary: "Height of the last accepted block.",
  cost: "one row",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    return { height: `${(await chainState(context)).height}` };
  },
});
