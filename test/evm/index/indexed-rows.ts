/** An EVM chain's index over rows in memory, driven as by an ingester: fetch, project or undo, commit. */

import { encodeAll, struct } from "../../../src/base/codec/codec.ts";
import { Reader, Writer } from "../../../src/base/codec/reader.ts";
import type { Table } from "../../../src/base/table/table.ts";
import { View } from "../../../src/base/table/view.ts";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import type { EvmFacts } from "../../../src/evm/facts.ts";
import { indexTables } from "../../../src/evm/index/chain-tables.ts";
import { EvmIndex, type IndexedChain } from "../../../src/evm/index/evm-index.ts";
import { type PreparedBlock, prepareBlock, readPrepared } from "../../../src/evm/index/prepared-block.ts";
import { evmChainStates, evmReorganisations } from "../../../src/evm/index/tables.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { RowEncoder } from "../../../src/store/encoded-rows.ts";
import { MemoryRows } from "../../conformance/memory-rows.ts";
import { classOf } from "../decode/intents.ts";

export const CHAIN = 3;

export class IndexedRows {
  readonly rows = new MemoryRows();
  readonly view = new View();
  readonly index: EvmIndex;

  constructor(options: Partial<IndexedChain> = {}) {
    this.index = new EvmIndex(this.view, { chain: CHAIN, evmChainId: 43112n, startHeight: 0n, maxReorgDepth: 8, ...options });
  }

  /** All in one commit, each decoded when those before it are in the view. */
  add(blocks: readonly EvmBlock[], { recordsUndo = true } = {}): void {
    for (const block of blocks) this.project(block, { recordsUndo });
    this.commit();
  }

  project(block: EvmBlock, { recordsUndo = true } = {}): void {
    const facts = this.#decoded(block);
    this.#fetch(facts);
    this.index.project(facts, { recordsUndo });
  }

  /** As `project` without undo, but what the block alone determines is not written: another thread has made these rows. */
  projectPrepared(block: EvmBlock): void {
    const summary = new Writer();
    prepareBlock(this.#decoded(block), CHAIN, new RowEncoder(1), summary);
    const prepared = readPrepared(new Reader(summary.finish()));
    this.#fetch(prepared);
    this.index.projectPrepared(prepared);
  }

  #decoded(block: EvmBlock): EvmFacts {
    this.rows.prefetch(this.view, this.index.tokenKeys(block));
    return decodeBlock(block, (token) => this.index.classOf(token) ?? classOf(token));
  }

  #fetch(block: EvmFacts | PreparedBlock): void {
    this.rows.prefetch(this.view, this.index.keysRead(block));
    this.rows.prefetch(this.view, this.index.keysReadNext(block));
  }

  /** Everything above `height`, not committed yet. */
  undoTo(height: bigint): void {
    this.rows.prefetch(this.view, [this.index.stateKey()]);
    const tip = this.index.tip()!.height;
    this.rows.prefetch(this.view, this.index.undoKeys(height, tip));
    for (let at = tip; at > height; at--) this.index.undo(at);
  }

  commit(): void {
    this.index.endPrepared();
    this.rows.apply(this.view.drain());
    this.view.evict();
  }

  /**
   * Every row that follows from the chain's blocks, as bytes; without `commits`, which names a state and is never the same twice, and without
   * what the chain did before.
   */
  dump(): Map<string, string> {
    const dumped = new Map<string, string>();
    for (const table of indexTables as readonly Table[]) {
      if (table.id === evmReorganisations.id) continue;
      const codec = struct(table.value);
      for (const { key, value } of this.rows.all(table)) {
        const kept = table.id === evmChainStates.id ? { ...value, commits: 0n } : value;
        dumped.set(`${table.name} ${Object.values(key).join(" ")}`, Buffer.from(encodeAll(codec, kept)).toString("hex"));
      }
    }
    return new Map([...dumped].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
