/**
 * Indexes the blocks of a chain's EVM: converts the child's answers about a sealed block to rows in the producer's view, which are
 * committed with the block. Blocks that the store holds without an index (genesis, and those of an older Firn) are indexed when the child
 * is up. Indexing never stops the chain: if a block cannot be indexed, indexing stops there and reports it.
 */

import { FirnError } from "../../base/errors/errors.ts";
import type { View } from "../../base/table/view.ts";
import { decodeBlock, doubtfulTokens } from "../../evm/decode/decode-block.ts";
import type { EvmFacts, TokenClass } from "../../evm/facts.ts";
import { EvmIndex } from "../../evm/index/evm-index.ts";
import { evmUpstreams } from "../../evm/index/tables.ts";
import { blocks } from "../../index/tables.ts";
import { fetchRows } from "../../ingest/steps.ts";
import type { Address, EvmBlock } from "../../sources/evm/parser/block.ts";
import { openBlock } from "../../sources/evm/parser/block-parser.ts";
import type { Store } from "../../store/store.ts";
import type { EvmChainSpec, SealedContents } from "../anvil/chains/evm-chain-spec.ts";
import { EvmDownError } from "../anvil/evm-error.ts";
import { contractsOf, type EvmEdit, editedContracts } from "../anvil/sealing/evm-edits.ts";
import type { DevnetEvmChain } from "./index-chain.ts";
import { indexedChain } from "./indexed-height.ts";

export interface EvmIndexingParts {
  readonly spec: EvmChainSpec;
  readonly store: Store;
  readonly view: View;
  readonly evm: DevnetEvmChain;
}

export class EvmIndexing {
  readonly #parts: EvmIndexingParts;
  readonly #index: EvmIndex;
  /** contracts whose code or storage a test set */
  readonly #edited: Set<Address>;
  /** the newest block in the view's index */
  #height: bigint;

  private constructor(parts: EvmIndexingParts, chain: number, height: bigint, edited: Set<Address>) {
    this.#parts = parts;
    this.#height = height;
    this.#edited = edited;
    const { evmChainId } = parts.evm;
    const isEdited = (contract: Address) => edited.has(contract);
    this.#index = new EvmIndex(parts.view, { chain, evmChainId, startHeight: 0n, maxReorgDepth: 0, isEdited });
  }

  static async open(parts: EvmIndexingParts): Promise<EvmIndexing> {
    const { store, view, evm, spec } = parts;
    const { chain, height } = await indexedChain(store, evm.evmChainId);
    const edited = await editedContracts(store, spec.chainId);
    // this run may be able to index what an earlier one could not
    if (evm.problem === undefined && (await store.get(evmUpstreams, { chain })) !== undefined) view.delete(evmUpstreams, { chain });
    return new EvmIndexing(parts, chain, height, edited);
  }

  /** Whether a block up to this height is not indexed although it can be. */
  isBehind(height: bigint): boolean {
    return this.#parts.evm.problem === undefined && this.#height < height;
  }

  /**
   * Reads everything that indexing the next block requires. The returned function makes the rows; call it once the block itself is in the
   * view.
   * @param bytes the block without its proposervm wrapper; by default it is read from the store
   */
  async prepare(bytes?: Uint8Array): Promise<() => void> {
    const { evm } = this.#parts;
    const height = this.#height + 1n;
    if (evm.problem !== undefined) return () => {};
    try {
      const facts = await this.#read(height, bytes ?? (await this.#stored(height)));
      return () => this.#project(facts);
    } catch (error) {
      // if this child is gone, the next one can be asked
      if (!(error instanceof EvmDownError)) await evm.giveUpIndex(height, error);
      if (error instanceof EvmDownError) throw error;
      return () => {};
    }
  }

  /** Reads what the rows of edits require. The returned function makes them. */
  async prepareEdits(edits: readonly EvmEdit[]): Promise<() => void> {
    const { store, view } = this.#parts;
    const contracts = contractsOf(edits);
    await fetchRows(store, view, this.#index.keysOfEdits(contracts));
    return () => {
      for (const contract of contracts) this.#edited.add(contract);
      this.#index.projectEdits(contracts);
    };
  }

  async #stored(height: bigint): Promise<Uint8Array | undefined> {
    const { store, spec } = this.#parts;
    return height === 0n ? undefined : (await store.get(blocks, { chainId: spec.chainId, height }))?.bytes;
  }

  #project(facts: EvmFacts): void {
    this.#index.project(facts, { recordsUndo: false });
    this.#height = facts.block.height;
  }

  /** @param bytes undefined for genesis, which the store does not hold */
  async #read(height: bigint, bytes: Uint8Array | undefined): Promise<EvmFacts> {
    const { store, view, spec } = this.#parts;
    const sealed = bytes && spec.parse(bytes);
    const block = await this.#readBlock(height, sealed);
    await fetchRows(store, view, this.#index.tokenKeys(block));
    const classes = await this.#classesOf(block);
    const facts = decodeBlock(block, (token) => classes.get(token));
    await fetchRows(store, view, this.#index.keysRead(facts));
    await fetchRows(store, view, this.#index.keysReadNext(facts));
    return facts;
  }

  async #readBlock(height: bigint, sealed: SealedContents | undefined): Promise<EvmBlock> {
    const { evm, spec } = this.#parts;
    const answers = await evm.blockAnswers(height);
    const shown = await evm.shown(sealed);
    const opened = openBlock({ ...answers, block: { ...(answers.block as object), ...shown.block, ...shown.header } });
    const block = opened.block(await evm.noncesBefore(height, opened.creators), await evm.salts(opened.salted));
    if (sealed === undefined || block.hash === sealed.id) return block;
    throw new FirnError("evm-block", `${spec.name}'s EVM returned block 0x${block.hash} at height ${height}, not 0x${sealed.id}`);
  }

  async #classesOf(block: EvmBlock): Promise<ReadonlyMap<Address, TokenClass>> {
    const { height } = block;
    const doubtful = doubtfulTokens(block).map((token) => ({ ...token, height, known: this.#index.classOf(token.address) }));
    const classes = new Map<Address, TokenClass>();
    for (const { address, known } of doubtful) if (known !== undefined) classes.set(address, known);
    const unknown = doubtful.filter(({ known }) => known === undefined);
    if (unknown.length === 0) return classes;
    return new Map([...classes, ...(await this.#parts.evm.classify(unknown))]);
  }
}
