/** A page of blocks, newest first, of a chain or of a node that proposed them. */
import { mergedScan } from "../../index/merged-scan.ts";
import { blocksByProposer, blocksByTime } from "../../index/primary/transaction-tables.ts";
import type { NodeId } from "../../primitives/id.ts";
import { chainInfo } from "../chain-info.ts";
import type { DataContext } from "../context.ts";
import { timeBounds } from "../transactions/time-bounds.ts";
import { presentBlocks } from "./present.ts";

export interface BlockQuery {
  readonly pageSize: number;
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
}

export async function blockPage(
  { pageSize, startTimestamp, endTimestamp }: BlockQuery,
  { nodeId }: { readonly nodeId?: NodeId },
  context: DataContext,
) {
  const { reader, chain, after } = context;
  const bounds = timeBounds(startTimestamp, endTimestamp, { reverse: true });
  const position = after && { timestamp: BigInt(after.timestamp!), height: BigInt(after.height!) };
  const scan = { ...bounds, ...(position && { after: position }), reverse: true, limit: bounds === undefined ? 0 : pageSize + 1 };
  const rows =
    nodeId === undefined
      ? await mergedScan(reader, blocksByTime, { ...scan, prefixes: [{ chain }] })
      : await mergedScan(reader, blocksByProposer, { ...scan, prefixes: [{ chain, nodeId }] });
  const places = rows.slice(0, pageSize).map(({ key: { timestamp, height } }) => ({ timestamp, height }));
  const blocks = await presentBlocks(
    places.map(({ height }) => height),
    context,
  );
  return { blocks, ...context.nextPage(rows.length > pageSize ? places.at(-1) : undefined), chainInfo: chainInfo(context) };
}
