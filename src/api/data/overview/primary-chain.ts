import { formatId } from "../../../base/bytes/cb58.ts";
import { chainIdOf, type PrimaryChain, primaryChains } from "../../../index/primary/primary-chain.ts";
import { scanTransactions } from "../../../index/primary/transactions/transaction-order.ts";
import { primaryBlocks, transactionGroups } from "../../../index/primary/transactions/transaction-tables.ts";
import { blockHash } from "../blocks/present.ts";
import type { DataContext } from "../context.ts";
import { KeptParts } from "../kept-parts.ts";
import { readTransactionTypes } from "../transactions/transaction-type.ts";
import { NEWEST } from "./newest.ts";
import type { PrimaryChainOverview } from "./schemas.ts";

const ALIASES = ["P", "X", "C"] as const;

/** What the kept parts of a server belong to. */
const OWNERS = primaryChains.map((chain) => ({ chain }));

/** P, X and C, as far as they are indexed. Costs a row for each, and some 15 more for each that has changed. */
export async function primaryOverviews(context: DataContext): Promise<PrimaryChainOverview[]> {
  const { reader, generation, kept } = context;
  const indexed = primaryChains.filter((chain) => context.heightOf(chain) !== undefined);
  const counts = await reader.getMany(
    transactionGroups,
    indexed.map((chain) => ({ chain })),
  );
  return Promise.all(
    indexed.map((chain, i) => {
      // transactions of vertices do not change the height
      const version = generation === undefined ? undefined : `${generation}/${context.heightOf(chain)}/${counts[i]?.next}`;
      return kept.of(KeptParts).get(OWNERS[chain]!, version, () => overviewOf(chain, context));
    }),
  );
}

async function overviewOf(chain: PrimaryChain, context: DataContext): Promise<PrimaryChainOverview> {
  const { reader, network } = context;
  const newest = { reverse: true, limit: NEWEST };
  const [blocks, placed] = await Promise.all([
    reader.scan(primaryBlocks, { prefix: { chain }, ...newest }),
    scanTransactions(reader, chain, newest),
  ]);
  const types = await readTransactionTypes(
    chain,
    placed.map(({ txId }) => txId),
    reader,
  );
  const timestamp = blocks[0]?.value.timestamp ?? placed[0]?.place.timestamp;
  return {
    alias: ALIASES[chain],
    blockchainId: formatId(chainIdOf(chain, network)),
    height: `${context.heightOf(chain)}`,
    ...(timestamp !== undefined && { timestamp: Number(timestamp) }),
    blocks: blocks.map(({ key: { height }, value: { blockId, timestamp, kind, txCount } }) => ({
      blockNumber: `${height}`,
      blockHash: blockHash(chain, blockId),
      blockTimestamp: Number(timestamp),
      blockType: kind,
      txCount,
    })),
    transactions: placed.map(({ txId, height, place: { timestamp } }, i) => ({
      txHash: formatId(txId),
      txType: types[i]!.type,
      blockNumber: `${height}`,
      blockTimestamp: Number(timestamp),
    })),
  };
}
