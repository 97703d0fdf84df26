import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";
import { rfc3339 } from "./rfc3339.ts";

/** Chain time. */
export const getTimestamp = method({
  name: "platform.getTimestamp",
  summary: "Chain time.",
  cost: "one row",
  params: {},
  async handler(_params, context) {
    return { timestamp: rfc3339((await chainState(context)).timestamp) };
  },
});
