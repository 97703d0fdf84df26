import { method } from "../method.ts";
import { chainHeights } from "./heights.ts";
import { developmentOf } from "./params.ts";

export const mine = method({
  name: "firn.mine",
  summary:
    "Builds the blocks that are due now, whatever the block time, and a block of the C-chain in any case. Returns the heights of all chains.",
  cost: "the blocks that are due",
  computeUnits: 50,
  changesState: true,
  params: {},
  async handler(_params, context) {
    await developmentOf(context).mine();
    return { heights: await chainHeights(context) };
  },
});
