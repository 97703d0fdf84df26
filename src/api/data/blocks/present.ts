/** Presents blocks in answers, from their rows and the IDs of their transactions. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { C_CHAIN, type PrimaryChain } from "../../../index/primary/primary-chain.ts";
import { GROUP_SIZE, idsOf } from "../../../index/primary/transactions/transaction-order.ts";
import { primaryBlocks, transactionOrder } from "../../../index/primary/transactions/transaction-tables.ts";
import { isActive } from "../../../network/network.ts";
import type { ChainContext } from "../context.ts";
import { cChainGenesisRow } from "./c-chain-genesis.ts";
import type { Block } from "./schemas.ts";

type BlockRow = TableValue<typeof primaryBlocks>;

/** Returns blocks in the order of the heights; missing blocks are left out. Costs a row for each block and for each 32 of
 * its transactions. */
export async function presentBlocks(heights: readonly bigint[], context: ChainContext): Promise<Block[]> {
  const { reader, chain } = context;
  const rows = await reader.getMany(
    primaryBlocks,
    heights.map((height) => ({ chain, height })),
  );
  const blocks = rows.map(async (found, i) => {
    const row = found ?? (chain === C_CHAIN && heights[i] === 0n ? await cChainGenesisRow(context) : undefined);
    return row && presentBlock(heights[i]!, row, context);
  });
  return (await Promise.all(blocks)).filter((block) => block !== undefined);
}

async function presentBlock(height: bigint, row: BlockRow, context: ChainContext): Promise<Block> {
  const { blockId, parentId, timestamp, kind, size, txCount } = row;
  const { chain } = context;
  const transactions = await transactionsOf(row, context);
  return {
    blockNumber: `${height}`,
    blockHash: blockHash(chain, blockId),
    parentHash: blockHash(chain, parentId),
    blockTimestamp: Number(timestamp),
    blockType: kind,
    txCount,
    transactions: transactions.map(formatId),
    blockSizeBytes: size,
    ...stateMembers(row, context),
    ...proposerMembers(row),
  };
}

export function blockHash(chain: PrimaryChain, id: Id): string {
  return chain === C_CHAIN ? `0x${id}` : formatId(id);
}

/** A block's transactions are consecutive in the chain's order, at the time of the block. */
export async function transactionsOf({ timestamp, firstGroup, txCount }: BlockRow, { reader, chain }: ChainContext): Promise<Id[]> {
  if (txCount === 0) return [];
  const rows = await reader.scan(transactionOrder, {
    prefix: { chain, timestamp },
    from: { group: firstGroup },
    limit: Math.ceil(txCount / GROUP_SIZE),
  });
  return rows.flatMap(({ value }) => idsOf(value));
}

function stateMembers({ state, timestamp }: BlockRow, { network }: ChainContext): Partial<Block> {
  if (state === undefined) return {};
  const { accruedFees, activeL1Validators, supply } = state;
  const l1 = isActive(network, "etna", timestamp) && { l1ValidatorsAccruedFees: accruedFees, activeL1Validators };
  return { ...l1, currentSupply: `${supply}` };
}

function proposerMembers({ proposer }: BlockRow): Partial<Block> {
  if (proposer === undefined) return {};
  const { containerId, parentId, nodeId, platformHeight, timestamp } = proposer;
  return {
    proposerDetails: {
      proposerId: formatId(containerId),
      proposerParentId: formatId(parentId),
      ...(nodeId !== undefined && { proposerNodeId: formatNodeId(nodeId) }),
      ...(platformHeight !== undefined && { proposerPChainHeight: platformHeight }),
      ...(timestamp !== undefined && { proposerTimestamp: timestamp }),
    },
  };
}
