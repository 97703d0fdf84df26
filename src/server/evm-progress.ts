/** How far the index of an EVM chain is behind what its nodes say, and whether they say anything. */
import { evmUpstreams } from "../index/evm/tables.ts";
import { HEARTBEAT_SECONDS } from "../ingest/evm/upstream-log.ts";
import type { StoreReader } from "../store/store.ts";
import type { EvmChainHeight } from "./committed-states.ts";

export interface EvmLag {
  readonly blocksBehind: bigint;
  readonly secondsBehind: number;
  /** why nothing is indexed at present, for people */
  readonly problem: string | undefined;
}

/** a few signs of life may be late */
const SILENT_AFTER_SECONDS = 3 * HEARTBEAT_SECONDS;

/** Undefined of a chain without an upstream: its blocks are made here, so that nothing can be behind. */
export async function lagOfEvmChain(reader: StoreReader, { chain, height, timestamp }: EvmChainHeight): Promise<EvmLag | undefined> {
  const upstream = await reader.get(evmUpstreams, { chain });
  if (upstream === undefined) return undefined;
  const blocksBehind = upstream.headHeight > height ? upstream.headHeight - height : 0n;
  const known = blocksBehind > 0n ? secondsBetween(timestamp, upstream.headTimestamp) : 0;
  const silent = secondsBetween(upstream.seenAt, BigInt(Math.floor(Date.now() / 1000)));
  const isSilent = silent > SILENT_AFTER_SECONDS;
  const problem = upstream.problem !== "" ? upstream.problem : isSilent ? `no node of the chain was heard of for ${silent}s` : undefined;
  // Nobody knows what the chain did meanwhile
  return { blocksBehind, secondsBehind: isSilent ? Math.max(known, silent) : known, problem };
}

function secondsBetween(earlier: bigint, later: bigint): number {
  return later > earlier ? Number(later - earlier) : 0;
}
