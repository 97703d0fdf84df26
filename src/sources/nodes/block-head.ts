/**
 * The head of a block: what a source checks before it gives the block on. It must be of its height and the child of the one before; execution
 * checks everything else. Only the beginning of P and X blocks is read, since they are parsed again when their turn comes.
 */

import { sha256Hex } from "../../base/bytes/hash.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { Reader } from "../../base/codec/reader.ts";
import { parseCChainBlock } from "../../chains/atomic/block.ts";
import { parseBlock } from "../../chains/platform/block.ts";
import type { NetworkInstance } from "../../network/network.ts";

export interface BlockHead {
  /** ID of the chain's own block, without its container */
  readonly id: Id;
  readonly parentId: Id;
  readonly height: bigint;
  /** Unix seconds; undefined for a P-chain block before Banff, which has no time */
  readonly time: bigint | undefined;
}

/** Throws a CodecError if the bytes do not begin like a block of the chain. */
export type ReadHead = (bytes: Uint8Array) => BlockHead;

/** its decisions come before its parent */
const BANFF_PROPOSAL = 29;
const APRICOT_TYPES = new Set([0, 1, 2, 3, 4]);
const BANFF_TYPES = new Set([30, 31, 32]);
const ASSET_BLOCK = 20;

export function headReader(chainId: Id, network: NetworkInstance): ReadHead {
  if (chainId === PLATFORM_CHAIN_ID) return platformHead;
  if (chainId === network.xChainId) return assetHead;
  const batchesFrom = network.upgrades.times.apricotPhase5;
  return (bytes) => {
    const { id, parentId, height, timestamp } = parseCChainBlock(bytes, batchesFrom);
    return { id, parentId, height, time: timestamp };
  };
}

function platformHead(bytes: Uint8Array): BlockHead {
  const { reader, typeId } = opened(bytes);
  if (typeId === BANFF_PROPOSAL) {
    const block = parseBlock(bytes);
    return { ...block, time: "time" in block ? block.time : undefined };
  }
  if (!APRICOT_TYPES.has(typeId) && !BANFF_TYPES.has(typeId)) throw new CodecError("unknown-type", 2, { typeId });
  const time = BANFF_TYPES.has(typeId) ? reader.u64() : undefined;
  return { id: sha256Hex(bytes), parentId: reader.hex(32), height: reader.u64(), time };
}

function assetHead(bytes: Uint8Array): BlockHead {
  const { reader, typeId } = opened(bytes);
  if (typeId !== ASSET_BLOCK) throw new CodecError("unknown-type", 2, { typeId });
  return { id: sha256Hex(bytes), parentId: reader.hex(32), height: reader.u64(), time: reader.u64() };
}

function opened(bytes: Uint8Array): { reader: Reader; typeId: number } {
  const reader = new Reader(bytes);
  const version = reader.u16();
  if (version !== 0) throw new CodecError("version", 0, { read: version, expected: 0 });
  return { reader, typeId: reader.u32() };
}
