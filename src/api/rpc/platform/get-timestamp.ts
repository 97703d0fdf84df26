import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";
import { rfc3339 } from "./rfc3339.ts";

export const getTimestamp = method({
  name: "platform.getTimestamp",
  summary: "Chain time.",
  cost: "one row",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    return { timestamp: rfc3339((await chainState(context)).timestamp) };
  },
});
