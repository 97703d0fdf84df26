import { method } from "../method.ts";
import { chainState } from "./chain-state.ts";

/** Without recent acceptances of its own a node proposes the last accepted height (rpc-platform 5.5). */
export const getProposedHeight = method({
  name: "platform.getProposedHeight",
  summary: "The P-chain height that a block proposed now would carry.",
  cost: "one row",
  params: {},
  async handler(_params, context) {
    return { height: `${(await chainState(context)).height}` };
  },
});
