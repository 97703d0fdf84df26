/**
 * The extra data of blocks before Apricot Phase 1, to which no header commits: the reference node pins the hash that every such block of
 * mainnet (63,291 blocks) and Fuji (2,243) has, by block, and so does Firn. Their other blocks of that time have none.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EMPTY_ID } from "../../base/bytes/id.ts";
import type { Network } from "../../network/network.ts";
import { FUJI_ID, MAINNET_ID } from "../../network/presets.ts";
import { type CChainBlock, hashExtraData } from "./block.ts";

/** A file has a record for each block, in the order of their bytes: the first bytes of the block's ID, then of its extra data's hash. */
export const PINNED_ID_BYTES = 8;
/** A liar would have to find other data of the same 128 bits. */
export const PINNED_HASH_BYTES = 16;
const RECORD_BYTES = PINNED_ID_BYTES + PINNED_HASH_BYTES;

const FILES: ReadonlyMap<number, string> = new Map([
  [MAINNET_ID, "mainnet.bin"],
  [FUJI_ID, "fuji.bin"],
]);

const read = new Map<string, Buffer>();

/** Whether the block has the extra data with which the network accepted it. True for blocks whose header has its hash, and for other networks. */
export function hasPinnedExtraData(network: Network, block: Pick<CChainBlock, "id" | "extraData" | "extraDataHash">): boolean {
  const file = FILES.get(network.networkId);
  if (file === undefined || block.extraDataHash !== EMPTY_ID) return true;
  const pinned = find(pins(file), Buffer.from(block.id, "hex"));
  if (pinned === undefined) return block.extraData.length === 0;
  return Buffer.from(hashExtraData(block.extraData), "hex").compare(pinned, 0, PINNED_HASH_BYTES, 0, PINNED_HASH_BYTES) === 0;
}

function pins(file: string): Buffer {
  let bytes = read.get(file);
  if (bytes === undefined) {
    bytes = readFileSync(join(import.meta.dirname, "extra-data", file));
    read.set(file, bytes);
  }
  return bytes;
}

function find(records: Buffer, id: Buffer): Buffer | undefined {
  let [low, high] = [0, records.length / RECORD_BYTES];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = middle * RECORD_BYTES;
    const order = id.compare(records, at, at + PINNED_ID_BYTES, 0, PINNED_ID_BYTES);
    if (order === 0) return records.subarray(at + PINNED_ID_BYTES, at + RECORD_BYTES);
    if (order > 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}
