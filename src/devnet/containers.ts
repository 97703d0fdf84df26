/**
 * Wraps blocks in proposervm containers, unsigned as on a network with one proposer and no sybil protection. Keeps the newest container of
 * each chain, with time, P-chain height and epoch, and restores them from the store.
 */

import { sha256Hex } from "../base/bytes/hash.ts";
import type { Id } from "../base/bytes/id.ts";
import type { BuiltBlock } from "../chains/mempool/issuer.ts";
import { blocks } from "../index/tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import { type Epoch, type EpochParent, epochOfChild, unwrapBlock, wrapBlock, wrapOption } from "../network/proposervm.ts";
import type { StoreReader } from "../store/store.ts";

/** What a container's children need to know about it. */
interface Tip extends EpochParent {
  /** undefined for block 0 of an EVM chain, which is not stored; the chain's first block names it as its parent */
  readonly containerId: Id | undefined;
  /** the chain's block 0, which has no container */
  readonly isBare: boolean;
}

/** The header of the container that a block built now would get. */
export interface NextHeader {
  readonly timestamp: bigint;
  readonly pChainHeight: bigint;
  readonly epoch: Epoch | undefined;
}

export class Containers {
  readonly #network: NetworkInstance;
  readonly #tips = new Map<Id, Tip>();

  constructor(network: NetworkInstance) {
    this.#network = network;
  }

  /** @param start chain time, for a chain whose newest block has no container */
  async load(reader: StoreReader, chainId: Id, height: bigint, start: bigint): Promise<void> {
    this.#tips.set(chainId, await readTip(reader, chainId, height, start));
  }

  /** Adds a chain that was just created. @param blockId of its block 0; undefined: not known */
  start(chainId: Id, blockId: Id | undefined, timestamp: bigint): void {
    this.#tips.set(chainId, bareTip(blockId, timestamp));
  }

  has(chainId: Id): boolean {
    return this.#tips.has(chainId);
  }

  /** @param platformHeight height of the P-chain's last accepted block */
  next(chainId: Id, clock: bigint, platformHeight: bigint): NextHeader {
    const tip = this.#tip(chainId);
    const timestamp = clock > tip.timestamp ? clock : tip.timestamp;
    const pChainHeight = platformHeight > tip.pChainHeight ? platformHeight : tip.pChainHeight;
    // the first container has no epoch, whenever it is made
    return { timestamp, pChainHeight, epoch: tip.isBare ? undefined : epochOfChild(tip, timestamp, this.#network.upgrades) };
  }

  /** @param parentOf returns the parent that the block names; used if the parent's container ID is unknown */
  wrap(chainId: Id, block: BuiltBlock, header: NextHeader, parentOf: (block: BuiltBlock) => Id): Buffer {
    const parentId = this.#tip(chainId).containerId ?? parentOf(block);
    if (block.isOption) return wrapOption(parentId, block.bytes);
    const { epoch, ...fields } = header;
    return wrapBlock({ parentId, ...fields, ...(epoch && { epoch }) }, block.bytes);
  }

  /** @param header of the container; for an option, its proposal's header */
  accepted(chainId: Id, container: Buffer, { epoch, ...header }: NextHeader): void {
    const { containerId } = unwrapBlock(container, () => true);
    this.#tips.set(chainId, { containerId, isBare: false, ...header, ...(epoch && { epoch }) });
  }

  #tip(chainId: Id): Tip {
    const tip = this.#tips.get(chainId);
    if (tip === undefined) throw new TypeError(`no container of ${chainId} is known`);
    return tip;
  }
}

function bareTip(containerId: Id | undefined, timestamp: bigint): Tip {
  return { containerId, isBare: true, timestamp, pChainHeight: 0n };
}

/** An option takes the values of its proposal, because its own container has neither time nor height. */
async function readTip(reader: StoreReader, chainId: Id, height: bigint, start: bigint): Promise<Tip> {
  const row = await reader.get(blocks, { chainId, height });
  if (row === undefined || row.head.length === 0) return bareTip(row?.containerId, start);
  const { header } = unwrapBlock(Buffer.concat([row.head, row.bytes, row.tail]), () => true, sha256Hex);
  const { timestamp, pChainHeight, epoch } = header!;
  if (timestamp === undefined || pChainHeight === undefined) {
    return { ...(await readTip(reader, chainId, height - 1n, start)), containerId: row.containerId };
  }
  return { containerId: row.containerId, isBare: false, timestamp, pChainHeight, ...(epoch && { epoch }) };
}
