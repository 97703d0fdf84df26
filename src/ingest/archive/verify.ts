/**
 * Verifies an archive without a store: the hash of each file, and of each block its own hash, its height, its parent, and what its header says
 * of its content. Nothing is executed: an import does that.
 */

import { join } from "node:path";
import { formatId } from "../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { type AssetCodec, assetCodec } from "../../chains/asset/codec.ts";
import { emptyStopVertex } from "../../chains/asset/vertex.ts";
import { DagCheck } from "../../chains/asset/vertex-dag.ts";
import { hashExtraData, parseCChainBlock } from "../../chains/atomic/block.ts";
import { hasPinnedExtraData } from "../../chains/atomic/extra-data-pins.ts";
import { blockTxs, parseBlock } from "../../chains/platform/block.ts";
import { parseGenesis } from "../../chains/platform/genesis/genesis.ts";
import { genesisBlock } from "../../chains/platform/genesis/genesis-state.ts";
import type { CreateChainTx } from "../../chains/platform/tx/create-chain.ts";
import { parseSubnetEvmBlock } from "../../chains/subnet-evm/block.ts";
import { isSubnetEvm } from "../../chains/subnet-evm/problem.ts";
import { RuleError } from "../../network/execution.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { openArchive } from "../../sources/archives/archive.ts";
import { checksumOf, readChecksums } from "../../sources/archives/checksums.ts";
import type { BlockItem, SourceItem } from "../../sources/source.ts";
import { unwrapParsed } from "../ingest-log.ts";
import { networkInstance } from "../network-instance.ts";

interface VerifiedChain {
  readonly chainId: Id;
  first: bigint;
  last: bigint;
}

interface VerifiedArchive {
  readonly network: NetworkInstance;
  /** in the order of their first blocks */
  readonly chains: readonly VerifiedChain[];
  readonly vertices: number;
  readonly files: number;
}

interface Block {
  readonly id: Id;
  readonly height: bigint;
  readonly parentId: Id;
}

interface Tip extends VerifiedChain {
  block: Block;
  containerId: Id;
}

export async function verifyArchive(path: string, signal?: AbortSignal): Promise<VerifiedArchive> {
  const files = await verifyFiles(path);
  const source = await openArchive({ path, instance: networkInstance });
  const { network } = source;
  const chains = new ChainVerifier(network);
  const nothing = { heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n };
  for await (const run of source.items(nothing)) {
    for (const item of run) chains.verify(item);
    signal?.throwIfAborted();
  }
  return { network, chains: chains.tips, vertices: chains.finish(), files };
}

/** Returns the number of files. A recording without `SHA256SUMS` has none to compare. */
async function verifyFiles(path: string): Promise<number> {
  const checksums = readChecksums(path);
  for (const [file, expected] of checksums) {
    const found = await checksumOf(join(path, file)).catch((error: Error) => error.message);
    if (found === expected) continue;
    throw new FirnError("archive-mismatch", `${file} is not the file that SHA256SUMS names: ${found}, not ${expected}`, { file });
  }
  return checksums.size;
}

class ChainVerifier {
  readonly #network: NetworkInstance;
  readonly #tips = new Map<Id, Tip>();
  /** how the blocks of chains that the P-chain created are read */
  readonly #parsers = new Map<Id, (bytes: Uint8Array) => Block>();
  readonly #dag = new DagCheck();
  #xCodec: AssetCodec | undefined;

  constructor(network: NetworkInstance) {
    this.#network = network;
    this.#parsers.set(PLATFORM_CHAIN_ID, (bytes) => this.#platformBlock(bytes));
    for (const { id, unsigned } of parseGenesis(network.genesisBytes).chains) {
      if (unsigned.kind === "CreateChainTx") this.#created(id, unsigned);
    }
    this.#parsers.set(network.cChainId, (bytes) => verifiedCBlock(bytes, network));
  }

  get tips(): Tip[] {
    return [...this.#tips.values()];
  }

  verify(item: SourceItem): void {
    try {
      if (item.kind === "block") this.#block(item);
      else if (item.kind === "vertex") this.#dag.take(item.bytes);
    } catch (error) {
      if (!(error instanceof Error) || (error instanceof FirnError && error.code === "archive-vertices")) throw error;
      throw new FirnError("archive-mismatch", `${item.origin}: ${error.message}`, {}, { cause: error });
    }
  }

  /** Returns the number of vertices. */
  finish(): number {
    if (this.#dag.taken > 0 && !this.#tips.has(this.#network.xChainId)) this.#finishDag();
    return this.#dag.taken;
  }

  #block(item: BlockItem): void {
    const parse = this.#parsers.get(item.chainId);
    if (parse === undefined) throw new Error(`no block before this one creates chain ${formatId(item.chainId)}`);
    const { unwrapped, block } = unwrapParsed(item, parse);
    const { containerId, header } = unwrapped;
    const tip = this.#tips.get(item.chainId);
    const before = tip?.block ?? this.#genesisBlock(item.chainId);
    requireEqual("parent", block.parentId, before?.id);
    if (tip !== undefined && header !== undefined && tip.containerId !== EMPTY_ID)
      requireEqual("parent of the container", header.parentId, tip.containerId);
    if (tip !== undefined && block.height !== tip.last + 1n) throw new Error(`block ${block.height} follows block ${tip.last}`);
    if (tip === undefined) {
      const { chainId } = item;
      this.#tips.set(chainId, { chainId, first: block.height, last: block.height, block, containerId });
    } else Object.assign(tip, { last: block.height, block, containerId });
  }

  /** undefined: it does not follow from the network's genesis alone */
  #genesisBlock(chainId: Id): Pick<Block, "id"> | undefined {
    if (chainId === PLATFORM_CHAIN_ID) return genesisBlock(this.#network);
    return chainId === this.#network.xChainId ? this.#linearGenesis() : undefined;
  }

  /** The X-chain's block 0 is made of its stop vertex, which comes before its other blocks. */
  #linearGenesis(): Pick<Block, "id"> {
    const { xChainId, upgrades } = this.#network;
    if (this.#dag.taken > 0 || upgrades.cortinaXChainStopVertexId !== EMPTY_ID) this.#finishDag();
    const parentId = this.#dag.last ?? emptyStopVertex(xChainId).id;
    return this.#xCodec!.makeBlock({ parentId, height: 0n, time: upgrades.times.cortina, merkleRoot: EMPTY_ID, txs: [] });
  }

  #finishDag(): void {
    try {
      this.#dag.finish(this.#network.upgrades.cortinaXChainStopVertexId);
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      throw new FirnError("archive-vertices", `the vertices are not those of the X-chain: ${error.message}`, {}, { cause: error });
    }
  }

  #platformBlock(bytes: Uint8Array): Block {
    const block = parseBlock(bytes);
    for (const { id, unsigned } of blockTxs(block)) if (unsigned.kind === "CreateChainTx") this.#created(id, unsigned);
    return block;
  }

  #created(chainId: Id, created: CreateChainTx): void {
    if (isSubnetEvm(created)) {
      this.#parsers.set(chainId, parseSubnetEvmBlock);
      return;
    }
    const { fxIds } = created;
    const codec = assetCodec(fxIds);
    if (chainId === this.#network.xChainId) this.#xCodec = codec;
    this.#parsers.set(chainId, (bytes) => codec.parseBlock(bytes));
  }
}

function verifiedCBlock(bytes: Uint8Array, network: NetworkInstance): Block {
  const block = parseCChainBlock(bytes, network.upgrades.times.apricotPhase5);
  const { extraData, extraDataHash } = block;
  if (!hasPinnedExtraData(network, block)) throw new Error("its extra data is not what the network accepted it with");
  // no hash before Apricot Phase 1, and none in a development network's header
  if (extraDataHash !== undefined && extraDataHash !== EMPTY_ID)
    requireEqual("hash of extra data", hashExtraData(extraData), extraDataHash);
  return block;
}

/** @param expected undefined: not known */
function requireEqual(what: string, found: Id, expected: Id | undefined): void {
  if (expected !== undefined && found !== expected) throw new Error(`its ${what} is ${formatId(found)}, not ${formatId(expected)}`);
}
