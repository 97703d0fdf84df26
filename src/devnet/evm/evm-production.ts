/** The EVM's part in making blocks of its chain: what its child process has sealed, and the index of its blocks. */

import type { BuiltBlock } from "../../chains/mempool/issuer.ts";
import type { DevelopmentEvm } from "../anvil/development-evm.ts";
import { EvmDownError } from "../anvil/evm-error.ts";
import type { EvmEdit } from "../anvil/sealing/evm-edits.ts";
import type { WholeSections } from "../whole-sections.ts";
import { EvmIndexing, type EvmIndexingParts } from "./indexing.ts";

/** Number of existing blocks that are indexed per commit. */
const BLOCKS_PER_COMMIT = 32;

interface EvmProductionParts {
  readonly evm: DevelopmentEvm;
  readonly sections: WholeSections;
  commit(): Promise<void>;
}

export class EvmProduction {
  readonly #parts: EvmProductionParts;
  readonly #indexing: EvmIndexing;
  readonly #wake: () => void;
  /** the child has sealed a block, or edits, that are not committed */
  #isAhead = false;
  /** existing blocks were indexed but not committed */
  #hasIndexed = false;

  private constructor(parts: EvmProductionParts, indexing: EvmIndexing, wake: () => void) {
    this.#parts = parts;
    this.#indexing = indexing;
    this.#wake = wake;
  }

  static async open(parts: EvmProductionParts, indexingParts: EvmIndexingParts): Promise<EvmProduction> {
    return new EvmProduction(parts, await EvmIndexing.open(indexingParts), () => indexingParts.evm.wake());
  }

  /** Call this when the child has sealed a block or edited accounts. */
  changed(): void {
    this.#isAhead = true;
  }

  /** Reads what the index needs for edits before they are made. The returned function makes its rows. */
  prepareEdits(edits: readonly EvmEdit[]): Promise<() => void> {
    return this.#indexing.prepareEdits(edits);
  }

  committed(): void {
    if (this.#isAhead) this.#parts.evm.sealing.committed();
    if (this.#isAhead || this.#hasIndexed) this.#wake();
    this.#isAhead = false;
    this.#hasIndexed = false;
  }

  /** Discards what was sealed and edited since the last commit. */
  async abandon(): Promise<void> {
    if (this.#isAhead) await this.#parts.evm.rebuild();
    this.#isAhead = false;
  }

  /** Discards a block that the child may have sealed, and commits what was made before it. */
  async giveUp(): Promise<void> {
    this.#isAhead = false;
    await this.#parts.commit();
    await this.#parts.evm.rebuild();
  }

  /** Reads from the child what indexing the block needs, before the block is executed. The returned function makes the rows. */
  async prepare({ height, bytes }: BuiltBlock): Promise<() => void> {
    await this.indexMissing(height - 1n);
    return this.#indexing.prepare(bytes);
  }

  /** Indexes blocks that are not indexed, including genesis, while the child is up. Returns their number. */
  async indexMissing(height: bigint): Promise<number> {
    const { evm, sections, commit } = this.#parts;
    let count = 0;
    try {
      while (this.#indexing.isBehind(height) && evm.health().isUp) {
        await sections.run(await this.#indexing.prepare());
        this.#hasIndexed = true;
        if (++count % BLOCKS_PER_COMMIT === 0 && !this.#isAhead) await commit();
      }
    } catch (error) {
      if (!(error instanceof EvmDownError) || this.#isAhead) throw error;
    }
    return count;
  }
}
