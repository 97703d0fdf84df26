import { method } from "../method.ts";
import { l1Json } from "./l1-json.ts";
import { developmentOf } from "./params.ts";

export const listL1s = method({
  name: "firn.listL1s",
  summary: "The L1s whose chain is one of Subnet-EVM, and whether that runs; if not, why.",
  cost: "O(answer)",
  computeUnits: 10,
  params: {},
  handler: (_params, context) => ({ l1s: developmentOf(context).l1s().map(l1Json) }),
});
