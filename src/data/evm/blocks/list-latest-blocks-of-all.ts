import Type from "typebox";
import { evmBlocks } from "../../../index/evm/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { isOfNetwork, type LatestItem, latestPage, networkQuery, type ReadLatest } from "../latest-of-all.ts";
import type { BlockRow } from "../present-transaction.ts";
import { presentBlock } from "./present-block.ts";
import { evmBlockSchema } from "./schemas.ts";

export const listLatestBlocksAllChains = blocksOfAll({ path: "/blocks", operationId: "listLatestBlocksAllChains" });

/** the same as older clients ask for it */
export const listAllLatestBlocks = blocksOfAll({ path: "/chains/allBlocks", operationId: "listAllLatestBlocks" });

function blocksOfAll(names: { readonly path: string; readonly operationId: string }) {
  return dataRoute({
    ...names,
    method: "GET",
    tag: "EVM: blocks",
    summary: "Blocks of all EVM chains of this server, newest first.",
    description: "Chains that are not indexed yet, or older than this server's operator allows, are left out.",
    cost: "O(pageSize + chains) rows, and behind the first page O(log blocks) for each chain",
    computeUnits: 20,
    evm: "all",
    isOfState: true,
    query: Type.Object({ ...pageQuery(), ...networkQuery }),
    response: pageOf({ blocks: Type.Array(evmBlockSchema) }),
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
  // A block has no index to go on behind
  const from = "after" in start ? { after: { height: start.after.height } } : start;
  const rows = await reader.scan(evmBlocks, { prefix: { chain }, ...from, reverse: true, limit });
  return rows.map(({ key: { height }, value }) => ({ timestamp: value.timestamp, place: { height, index: 0 }, row: value }));
};
