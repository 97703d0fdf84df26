/**
 * Rows of accepted blocks of every chain, by height, block ID and container ID. They serve getBlock, getBlockByHeight and the Index API. A
 * block costs three rows.
 */

import type { Id } from "../base/bytes/id.ts";
import type { View } from "../base/table/view.ts";
import type { UnwrappedBlock } from "../network/execution.ts";
import { blockHeights, blocks, containerHeights } from "./tables.ts";

export interface AcceptedBlock {
  readonly chainId: Id;
  readonly height: bigint;
  /** ID of the chain's own block, without its wrapper */
  readonly blockId: Id;
  readonly unwrapped: UnwrappedBlock;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

export function projectBlock(view: View, { chainId, height, blockId, unwrapped, acceptedAt }: AcceptedBlock): void {
  const { containerId, head, inner, tail } = unwrapped;
  view.put(blocks, { chainId, height }, { blockId, containerId, head, bytes: inner, tail, acceptedAt });
  view.put(blockHeights, { chainId, blockId }, { height });
  view.put(containerHeights, { chainId, containerId }, { height });
}
