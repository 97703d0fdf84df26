import { method } from "../method.ts";
import { clockJson } from "./clock-json.ts";
import { chainHeights } from "./heights.ts";
import { developmentOf } from "./params.ts";

export const getStatus = method({
  name: "firn.getStatus",
  summary: "The network, its clock, the heights of its chains, and whether the C-chain's EVM answers.",
  cost: "two rows per chain",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    const development = developmentOf(context);
    const problem = development.evmProblem();
    return {
      networkID: `${context.network.networkId}`,
      networkName: context.network.name,
      ...clockJson(development),
      heights: await chainHeights(context),
      evm: problem === undefined ? { isUp: true } : { isUp: false, problem },
    };
  },
});
