/**
 * Keeps the index of the C-chain's EVM up to its blocks: what the child says of a sealed block becomes rows over the producer's view, so that
 * they are committed with the block. Blocks that a store holds without an index – genesis, and those of a network that an older Firn made –
 * are indexed when the child is there. The index never stops the chain: behind a block that cannot be indexed it stays behind, and says so.
 */
import { type EvmBlock as AtomicBlock, parseEvmBlock } from "../atomic/evm-block.ts";
import type { Address, EvmBlock } from "../evm/block.ts";
import { openBlock } from "../evm/block-parser.ts";
import { decodeBlock, doubtfulTokens } from "../evm/decode/decode-block.ts";
import type { EvmFacts, TokenClass } from "../evm/facts.ts";
import { EvmDownError } from "../evm-node/evm-error.ts";
import { EvmIndex } from "../index/evm/evm-index.ts";
import { evmUpstreams } from "../index/evm/tables.ts";
import { blocks } from "../index/tables.ts";
import { fetchRows } from "../ingest/execute.ts";
import type { NetworkInstance } from "../network/network.ts";
import { FirnError } from "../primitives/errors.ts";
import type { View } from "../primitives/view.ts";
import type { StoreReader } from "../store/store.ts";
import type { DevnetEvmChain } from "./devnet-evm-chain.ts";
import { indexedChain } from "./evm-indexed.ts";

export interface EvmIndexingParts {
  readonly network: NetworkInstance;
  readonly store: StoreReader;
  readonly view: View;
  readonly evm: DevnetEvmChain;
}

export class EvmIndexing {
  readonly #parts: EvmIndexingParts;
  readonly #index: EvmIndex;
  /** the newest block that is in the view's index */
  #height: bigint;

  private constructor(parts: EvmIndexingParts, chain: number, height: bigint) {
    this.#parts = parts;
    this.#height = height;
    this.#index = new EvmIndex(parts.view, { chain, evmChainId: parts.evm.evmChainId, startHeight: 0n, maxReorgDepth: 0 });
  }

  static async open(parts: EvmIndexingParts): Promise<EvmIndexing> {
    const { store, view, evm } = parts;
    const { chain, height } = await indexedChain(store, evm.evmChainId);
    // what an earlier run could not index, this one may
    if (evm.problem === undefined && (await store.get(evmUpstreams, { chain })) !== undefined) view.delete(evmUpstreams, { chain });
    return new EvmIndexing(parts, chain, height);
  }

  /** Whether blocks up to this height can be indexed that are not. */
  isBehind(height: bigint): boolean {
    return this.#parts.evm.problem === undefined && this.#height < height;
  }

  /**
   * Reads all that indexing the next block takes. What it returns makes the rows; to be called once the block itself is in the view.
   * @param bytes of the block without its wrapper; by default the store has it
   */
  async prepare(bytes?: Uint8Array): Promise<() => void> {
    const { evm } = this.#parts;
    const height = this.#height + 1n;
    if (evm.problem !== undefined) return () => {};
    try {
      const facts = await this.#read(height, bytes ?? (await this.#stored(height)));
      return () => this.#project(facts);
    } catch (error) {
      // of a child that is gone the next one can be asked
      if (!(error instanceof EvmDownError)) await evm.giveUpIndex(height, error);
      if (error instanceof EvmDownError) throw error;
      return () => {};
    }
  }

  async #stored(height: bigint): Promise<Uint8Array | undefined> {
    const { store, network } = this.#parts;
    return height === 0n ? undefined : (await store.get(blocks, { chainId: network.cChainId, height }))?.bytes;
  }

  #project(facts: EvmFacts): void {
    this.#index.project(facts, { recordsUndo: false });
    this.#height = facts.block.height;
  }

  /** @param bytes undefined of genesis, which no block of the store is */
  async #read(height: bigint, bytes: Uint8Array | undefined): Promise<EvmFacts> {
    const { store, view, network } = this.#parts;
    const sealed = bytes && parseEvmBlock(bytes, network.upgrades.times.apricotPhase5);
    const block = await this.#readBlock(height, sealed);
    await fetchRows(store, view, this.#index.tokenKeys(block));
    const classes = await this.#classesOf(block);
    const facts = decodeBlock(block, (token) => classes.get(token));
    await fetchRows(store, view, this.#index.keysRead(facts));
    return facts;
  }

  async #readBlock(height: bigint, sealed: AtomicBlock | undefined): Promise<EvmBlock> {
    const { evm } = this.#parts;
    const answers = await evm.blockAnswers(height);
    const opened = openBlock({ ...answers, block: withExtraData(answers.block, sealed) });
    const block = opened.block(await evm.noncesBefore(height, opened.creators), await evm.salts(opened.salted));
    if (sealed === undefined || block.hash === sealed.id) return block;
    throw new FirnError("evm-block", `the C-chain's EVM told of the block 0x${block.hash} at height ${height}, not of 0x${sealed.id}`);
  }

  async #classesOf(block: EvmBlock): Promise<ReadonlyMap<Address, TokenClass>> {
    const { height } = block;
    const doubtful = doubtfulTokens(block).map((address) => ({ address, height, known: this.#index.classOf(address) }));
    const classes = new Map<Address, TokenClass>();
    for (const { address, known } of doubtful) if (known !== undefined) classes.set(address, known);
    const unknown = doubtful.filter(({ known }) => known === undefined);
    if (unknown.length === 0) return classes;
    return new Map([...classes, ...(await this.#parts.evm.classify(unknown))]);
  }
}

/** The child knows nothing of atomic transactions; they are put where nodes of the C-chain show them. */
function withExtraData(block: unknown, sealed: AtomicBlock | undefined): unknown {
  if (sealed === undefined || sealed.extraData.length === 0) return block;
  return { ...(block as object), blockExtraData: `0x${Buffer.from(sealed.extraData).toString("hex")}` };
}
