import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";

export const getHeight = method({
  name: "platform.getHeight",
  summary: "Height of the last decided block. A proposal counts once its option is accepted.",
  cost: "one row",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    return { height: `${(await chainState(context)).height}` };
  },
});
