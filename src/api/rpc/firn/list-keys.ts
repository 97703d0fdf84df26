import { method } from "../method.ts";
import { developmentOf } from "./params.ts";

export const listKeys = method({
  name: "firn.listKeys",
  summary: "The keys that genesis funds, with their addresses on every chain. They are public: use them for tests only.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: (_params, context) => ({ keys: developmentOf(context).keys.map((key) => ({ ...key })) }),
});
