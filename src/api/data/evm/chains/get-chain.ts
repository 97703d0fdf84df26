import Type from "typebox";
import { dataRoute } from "../../route.ts";
import { presentChain } from "./present-chain.ts";
import { evmChainSchema } from "./schemas.ts";

export const getChain = dataRoute({
  method: "GET",
  path: "/chains/{chainId}",
  operationId: "getChain",
  tag: "EVM: chains",
  summary: "One EVM chain of this server.",
  cost: "3 rows",
  computeUnits: 1,
  evm: "chain",
  needs: [],
  query: Type.Object({}),
  response: evmChainSchema,
  handle: (_, context) => presentChain(context.evmChain, context),
});
