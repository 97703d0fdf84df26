import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";

/** Height of the last decided block: a proposal counts with its option. */
export const getHeight = method({
  name: "platform.getHeight",
  summary: "Height of the last decided block: a proposal counts with its option.",
  cost: "one row",
  params: {},
  async handler(_params, context) {
    return { height: `${(await chainState(context)).height}` };
  },
});
