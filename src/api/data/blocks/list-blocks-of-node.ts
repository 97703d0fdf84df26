import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { parseNodeIdParam } from "../ids.ts";
import { chainInfoSchema } from "../network-labels.ts";
import { pageOf, pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { blockPage } from "./block-page.ts";
import { blockSchema } from "./schemas.ts";

export const listBlocksOfNode = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks",
  operationId: "listPrimaryNetworkBlocksByNodeId",
  tag: "Primary network: blocks",
  summary: "Blocks that a node signed as their proposer, newest first.",
  cost: "O(pageSize) rows, and one for each transaction of the blocks",
  computeUnits: 20,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  params: Type.Object({ nodeId: Type.String({ minLength: 1, description: "`NodeID-…`" }) }),
  query: Type.Object({ ...pageQuery(), ...timeQuery }),
  response: pageOf({ blocks: Type.Array(blockSchema), chainInfo: chainInfoSchema }, "ListPrimaryNetworkBlocksResponse"),
  handle: ({ params, query }, context) => blockPage(query, { nodeId: parseNodeIdParam("nodeId", params.nodeId) }, context),
});
