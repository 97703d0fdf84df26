/**
 * The proposervm containers that blocks are put into, unsigned as a network of one proposer without sybil protection has them: parents,
 * times, P-chain heights and epochs, by chain. Restored from the newest containers in the store.
 */
import { blocks } from "../index/tables.ts";
import type { BuiltBlock } from "../mempool/issuer.ts";
import { type Epoch, type EpochParent, epochOfChild } from "../network/epoch.ts";
import type { NetworkInstance } from "../network/network.ts";
import { unwrapBlock, wrapBlock, wrapOption } from "../network/proposervm.ts";
import { sha256Hex } from "../primitives/hash.ts";
import type { Id } from "../primitives/id.ts";
import type { StoreReader } from "../store/store.ts";

/** What children of a container need to know of it. */
interface Tip extends EpochParent {
  /** undefined: block 0 of the C-chain is not stored, its first block knows it */
  readonly containerId: Id | undefined;
  /** has no wrapper: the chain's block 0 */
  readonly isBare: boolean;
}

/** Of a container that a block built now would get. */
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

  /** @param start chain time of a chain whose newest block has no wrapper */
  async load(reader: StoreReader, chainId: Id, height: bigint, start: bigint): Promise<void> {
    this.#tips.set(chainId, await readTip(reader, chainId, height, start));
  }

  /** A chain that has just come into being. */
  start(chainId: Id, blockId: Id, timestamp: bigint): void {
    this.#tips.set(chainId, bareTip(blockId, timestamp));
  }

  has(chainId: Id): boolean {
    return this.#tips.has(chainId);
  }

  /** @param platformHeight the P-chain's last accepted block */
  next(chainId: Id, clock: bigint, platformHeight: bigint): NextHeader {
    const tip = this.#tip(chainId);
    const timestamp = clock > tip.timestamp ? clock : tip.timestamp;
    const pChainHeight = platformHeight > tip.pChainHeight ? platformHeight : tip.pChainHeight;
    // the first container has no epoch, whenever it is made
    return { timestamp, pChainHeight, epoch: tip.isBare ? undefined : epochOfChild(tip, timestamp, this.#network.upgrades) };
  }

  /** @param parentOf the parent that the block itself names: asked where nobody else knows it */
  wrap(chainId: Id, block: BuiltBlock, header: NextHeader, parentOf: (block: BuiltBlock) => Id): Buffer {
    const parentId = this.#tip(chainId).containerId ?? parentOf(block);
    if (block.isOption) return wrapOption(parentId, block.bytes);
    const { epoch, ...fields } = header;
    return wrapBlock({ parentId, ...fields, ...(epoch && { epoch }) }, block.bytes);
  }

  /** @param header of the container, or of its proposal's if it holds an option */
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

/** An option counts as its proposal does: its own container tells neither time nor height. */
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
