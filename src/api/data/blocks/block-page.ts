/** Reads a page of blocks, newest first, of a chain or of a proposer. */

import type { NodeId } from "../../../base/bytes/id.ts";
import { mergedScan } from "../../../index/merged-scan.ts";
import { C_CHAIN } from "../../../index/primary/primary-chain.ts";
import { blocksByProposer, blocksByTime } from "../../../index/primary/transactions/transaction-tables.ts";
import type { ChainContext } from "../context.ts";
import { chainInfo } from "../network-labels.ts";
import { timeBounds } from "../transactions/transaction-lists.ts";
import { cChainGenesisRow } from "./c-chain-genesis.ts";
import { presentBlocks } from "./present.ts";

export interface BlockQuery {
  readonly pageSize: number;
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
}

interface Place {
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly height: bigint;
}

export async function blockPage(query: BlockQuery, { nodeId }: { readonly nodeId?: NodeId }, context: ChainContext) {
  const { reader, chain, after } = context;
  const { pageSize, startTimestamp, endTimestamp } = query;
  const bounds = timeBounds(startTimestamp, endTimestamp, { reverse: true });
  const position = after && { timestamp: BigInt(after.timestamp!), height: BigInt(after.height!) };
  const scan = { ...bounds, ...(position && { after: position }), reverse: true, limit: bounds === undefined ? 0 : pageSize + 1 };
  const found =
    nodeId === undefined
      ? await mergedScan(reader, blocksByTime, { ...scan, prefixes: [{ chain }] })
      : await mergedScan(reader, blocksByProposer, { ...scan, prefixes: [{ chain, nodeId }] });
  const rows = found.map(({ key: { timestamp, height } }) => ({ timestamp, height }));
  if (nodeId === undefined && rows.length <= pageSize) rows.push(...(await genesisPlace(query, context)));
  const places = rows.slice(0, pageSize);
  const blocks = await presentBlocks(
    places.map(({ height }) => height),
    context,
  );
  return { blocks, ...context.nextPage(rows.length > pageSize ? places.at(-1) : undefined), chainInfo: chainInfo(context) };
}

/** Block 0 of the C-chain is the oldest of all its blocks, but has no row. */
async function genesisPlace({ startTimestamp = 0, endTimestamp }: BlockQuery, context: ChainContext): Promise<Place[]> {
  if (context.chain !== C_CHAIN || (context.after !== undefined && BigInt(context.after.height!) === 0n)) return [];
  const genesis = await cChainGenesisRow(context);
  if (genesis === undefined || genesis.timestamp < startTimestamp) return [];
  return endTimestamp === undefined || genesis.timestamp < endTimestamp ? [{ timestamp: genesis.timestamp, height: 0n }] : [];
}
