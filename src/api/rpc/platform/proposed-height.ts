/** The P-chain height that a block proposed now would carry: a node leaves out the blocks that it accepted recently. */

import { PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { blocks, sourceState } from "../../../index/tables.ts";
import type { RpcContext } from "../method.ts";
import { chainState } from "./chain-state.ts";

const WINDOW_BLOCKS = 64;
const WINDOW = 30n * 1_000_000_000n;

interface Accepted {
  readonly height: bigint;
  /** Unix nanoseconds */
  readonly at: bigint;
}

/** Only where nodes are followed was a block accepted recently: one of an archive never was, and a devnet proposes its last one. */
export async function proposedHeight(context: RpcContext): Promise<bigint> {
  const { height } = await chainState(context);
  if ((await context.reader.get(sourceState, { slot: 0 })) === undefined) return height;
  const from = context.beyondState().now - WINDOW;
  const oldest = (await context.cached("recent P-chain blocks", () => recentBlocks(context))).findLast(({ at }) => at >= from);
  return oldest === undefined ? height : oldest.height - 1n;
}

/** newest first, without genesis */
async function recentBlocks({ reader }: RpcContext): Promise<readonly Accepted[]> {
  const rows = await reader.scan(blocks, { prefix: { chainId: PLATFORM_CHAIN_ID }, reverse: true, limit: WINDOW_BLOCKS });
  return rows.map(({ key, value }) => ({ height: key.height, at: value.acceptedAt })).filter(({ height }) => height > 0n);
}
