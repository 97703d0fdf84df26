import Type from "typebox";
import { evmBlocks } from "../../../../evm/index/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { isOfNetwork, type LatestItem, latestPage, networkQuery, type ReadLatest } from "../latest-of-all.ts";
import type { BlockRow } from "../present-transaction.ts";
import { presentBlock } from "./present-block.ts";
import { evmBlockSchema } from "./schemas.ts";

export const listLatestBlocksAllChains = blocksOfAll({ path: "/blocks", operationId: "listLatestBlocksAllChains" });

/** the same route under the path of older clients */
export const listAllLatestBlocks = blocksOfAll({ path: "/chains/allBlocks", operationId: "listAllLatestBlocks" });

function blocksOfAll(names: { readonly path: string; readonly operationId: string }) {
  return dataRoute({
    ...names,
    method: "GET",
    tag: "EVM: blocks",
    summary: "Blocks of all EVM chains of this server, newest first.",
    description: "Leaves out chains that are not indexed yet, or whose index is older than the operator allows.",
    cost: "O(pageSize + chains) rows, and after the first page O(log blocks) for each chain",
    computeUnits: 20,
    evm: "all",
    isOfState: true,
    query: Type.Object({ ...pageQuery(), ...networkQuery }),
    response: pageOf({ blocks: Type.Array(evmBlockSchema) }, "ListEvmBlocksResponse"),
    async handle({ query: { pageSize, network } }, context) {
      const chains = context.evmChains.filter((chain) => isOfNetwork(chain, network));
      const { items, ...page } = await latestPage(chains, readLatestBlocks, pageSize, context);
      return { blocks: items.map(({ evmChain, item }) => presentBlock(item.place.height, item.row, evmChain)), ...page };
    },
  });
}

interface LatestBlock extends LatestItem {
  readonly row: BlockRow;
}

const readLatestBlocks: ReadLatest<LatestBlock> = async ({ reader, evmChain: { chain } }, start, limit) => {
  // the position of a block has no index
  const from = "after" in start ? { after: { height: start.after.height } } : start;
  const rows = await reader.scan(evmBlocks, { prefix: { chain }, ...from, reverse: true, limit });
  return rows.map(({ key: { height }, value }) => ({ timestamp: value.timestamp, place: { height, index: 0 }, row: value }));
};
