/** What the nodes of a followed network said last. The process that follows them writes it into the store; `firn status` and metrics show it. */

import type { Id } from "../../base/bytes/id.ts";
import type { Awaitable } from "../../base/work/awaitable.ts";
import { sourceQueues, sourceState } from "../../index/tables.ts";
import type { UpstreamStatus } from "../../sources/source.ts";
import type { StoreReader } from "../../store/store.ts";

export interface FollowedSource {
  /** since a node last answered; written every ten seconds while nodes answer. undefined: none has answered yet */
  readonly secondsSilent: number | undefined;
  /** why nothing is ingested at present, for people */
  readonly problem: string | undefined;
  readonly upstreams: readonly UpstreamStatus[];
}

/** undefined: no process has followed the network into this store */
export async function readFollowedSource(reader: StoreReader): Promise<FollowedSource | undefined> {
  const row = await reader.get(sourceState, { slot: 0 });
  if (row === undefined) return undefined;
  const { seenAt, problem, upstreams } = row;
  return {
    secondsSilent: secondsSince(seenAt),
    problem: problem === "" ? undefined : problem,
    upstreams: JSON.parse(upstreams) as UpstreamStatus[],
  };
}

/** Blocks of a chain that were read from nodes and are not executed yet. */
export interface SourceQueue {
  readonly prefetched: number;
  /** import what another chain has yet to export, or are behind such a block */
  readonly waiting: number;
}

/** undefined: no process has followed the network into this store */
export function readSourceQueue(reader: StoreReader, chainId: Id): Awaitable<SourceQueue | undefined> {
  return reader.get(sourceQueues, { chainId });
}

/** undefined for 0, which stands for never. `seenAt`: Unix seconds */
export function secondsSince(seenAt: bigint): number | undefined {
  return seenAt === 0n ? undefined : Math.max(0, Math.floor(Date.now() / 1000) - Number(seenAt));
}
