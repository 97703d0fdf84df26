import { method } from "../method.ts";
import { chainState } from "./chain.ts";

export const getHeight = method({
  name: "avm.getHeight",
  params: {},
  async handler(_params, context) {
    return { height: `${(await chainState(context)).height}` };
  },
});
