/** How far the index of an EVM chain is behind its nodes, and whether they answer. */
import { evmUntraced, evmUpstreamNodes, evmUpstreams } from "../../evm/index/tables.ts";
import type { UpstreamStatus } from "../../sources/source.ts";
import { silentSeconds } from "../../store/live-rows.ts";
import type { StoreReader } from "../../store/store.ts";
import type { EvmChainHeight } from "./committed-states.ts";

interface EvmLag {
  readonly blocksBehind: bigint;
  readonly secondsBehind: number;
  /** why nothing is currently indexed, for people */
  readonly problem: string | undefined;
  /** number of transactions without call trace, counted up to a maximum */
  readonly untraced: number;
  /** the chain's nodes */
  readonly upstreams: readonly EvmUpstream[];
}

/** One node of an EVM chain, as the process that follows the chain knows it. */
export type EvmUpstream = Omit<UpstreamStatus, "heights">;

/** Empty if no process has followed the chain. `prefetched`: blocks that were read and are not indexed yet. */
export async function readEvmUpstreams(reader: StoreReader, chain: number): Promise<{ upstreams: EvmUpstream[]; prefetched: number }> {
  const row = await reader.get(evmUpstreamNodes, { chain });
  return row === undefined ? { upstreams: [], prefetched: 0 } : { upstreams: JSON.parse(row.nodes), prefetched: row.prefetched };
}

/** Undefined of a chain without an upstream: its blocks are made here, so that nothing can be behind. */
export async function lagOfEvmChain(reader: StoreReader, { chain, height, timestamp }: EvmChainHeight): Promise<EvmLag | undefined> {
  const upstream = await reader.get(evmUpstreams, { chain });
  if (upstream === undefined) return undefined;
  const blocksBehind = upstream.headHeight > height ? upstream.headHeight - height : 0n;
  const known = blocksBehind > 0n ? secondsBetween(timestamp, upstream.headTimestamp) : 0;
  // Nobody knows what the chain did meanwhile
  const silent = silentSeconds(upstream.seenAt);
  const problem = upstream.problem || (silent > 0 ? `no node of the chain has answered for ${silent}s` : undefined);
  const { upstreams } = await readEvmUpstreams(reader, chain);
  return { blocksBehind, secondsBehind: Math.max(known, silent), problem, untraced: await countUntraced(reader, chain), upstreams };
}

/** counting stops here */
export const MOST_UNTRACED = 1000;

export async function countUntraced(reader: StoreReader, chain: number): Promise<number> {
  return (await reader.scan(evmUntraced, { prefix: { chain }, limit: MOST_UNTRACED })).length;
}

function secondsBetween(earlier: bigint, later: bigint): number {
  return later > earlier ? Number(later - earlier) : 0;
}
