import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { chainInfoSchema } from "../network-labels.ts";
import { pageOf, pageQuery, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { blockPage } from "./block-page.ts";
import { blockSchema } from "./schemas.ts";

export const listLatestBlocks = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/blocks",
  operationId: "listLatestPrimaryNetworkBlocks",
  tag: "Primary network: blocks",
  summary: "Blocks of a chain, newest first.",
  description:
    "Transactions of the genesis are in no block. Block 0 of the C-chain is made from the network's genesis; it is listed once block 1, or the index of a devnet's C-chain, confirms its hash.",
  cost: "O(pageSize) rows, and one for each transaction of the blocks",
  computeUnits: 20,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object({ ...pageQuery(), ...timeQuery }),
  response: pageOf({ blocks: Type.Array(blockSchema), chainInfo: chainInfoSchema }, "ListPrimaryNetworkBlocksResponse"),
  handle: ({ query }, context) => blockPage(query, {}, context),
});
