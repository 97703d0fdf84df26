/** Runs an asset chain on rows in memory as the ingester does on a store: prefetch, execute, commit. */

import type { Id } from "../../../src/base/bytes/id.ts";
import type { RuleLevel } from "../../../src/base/errors/rule-level.ts";
import type { Table, TableKey, TableValue } from "../../../src/base/table/table.ts";
import { type RowKey, View } from "../../../src/base/table/view.ts";
import { AssetChain } from "../../../src/chains/asset/chain.ts";
import type { AssetBlock } from "../../../src/chains/asset/codec.ts";
import type { AssetFacts } from "../../../src/chains/asset/facts.ts";
import { assetChainState, assetUtxos } from "../../../src/chains/asset/tables.ts";
import type { SignedTx } from "../../../src/chains/asset/tx/registry.ts";
import type { Vertex } from "../../../src/chains/asset/vertex.ts";
import { platformChains } from "../../../src/chains/platform/tables.ts";
import { type SharedElement, SharedMemory, sharedElementKeys } from "../../../src/chains/shared-memory/shared-memory.ts";
import type { ExecutionContext } from "../../../src/network/execution.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { MemoryRows } from "../memory-rows.ts";

export interface ReplayOptions {
  readonly level?: RuleLevel;
}

export class AssetReplay {
  readonly view = new View();
  readonly chain: AssetChain;
  readonly network: NetworkInstance;
  readonly #level: RuleLevel;
  readonly #rows = new MemoryRows();

  constructor(network: NetworkInstance, instance: ConstructorParameters<typeof AssetChain>[2], { level = "full" }: ReplayOptions = {}) {
    this.network = network;
    this.#level = level;
    for (const table of [...AssetChain.residentTables, platformChains]) this.view.setResident(table as Table);
    this.chain = new AssetChain(network, this.view, instance);
  }

  genesis(bytes: Uint8Array, options: { startsAsDag?: boolean } = {}): AssetFacts {
    const facts = this.chain.genesis(bytes, options);
    this.commit();
    return facts;
  }

  execute(block: AssetBlock, clock: bigint): AssetFacts {
    return this.#run(block, () => this.chain.execute(block, this.context(clock)));
  }

  executeVertex(vertex: Vertex, clock: bigint): AssetFacts {
    return this.#run(vertex, () => this.chain.executeVertex(vertex, this.context(clock)));
  }

  verifyVertex(vertex: Vertex, clock: bigint): void {
    this.#run(vertex, () => this.chain.verifyVertex(vertex, this.context(clock)));
  }

  verifyTx(bytes: Uint8Array, clock: bigint): SignedTx {
    const tx = this.chain.codec.parseTx(bytes);
    return this.#run(tx, () => this.chain.verifyTx(tx, this.context(clock)));
  }

  /** Another chain of the subnet exports to this one. */
  receive(source: Id, elements: readonly SharedElement[]): void {
    const { chainId } = this.chain.instance;
    const keys = elements.map(({ key }) => key);
    this.fetch(sharedElementKeys(chainId, source, keys));
    new SharedMemory(this.view).put(source, chainId, elements);
    this.commit();
  }

  get scalars(): TableValue<typeof assetChainState> {
    return this.view.get(assetChainState, { chain: this.chain.instance.chain })!;
  }

  context(clock: bigint): ExecutionContext {
    return { network: this.network, level: this.#level, clock };
  }

  /** Loads rows that are going to be read. */
  fetch(keys: readonly RowKey[]): void {
    this.#rows.prefetch(this.view, keys);
  }

  /** The UTXO set as `UTXO ID → bytes in hex`. */
  utxos(): Map<Id, string> {
    const rows = [...this.#rows.all(assetUtxos)];
    return new Map(rows.map(({ key, value }) => [key.utxoId, Buffer.from(value.bytes).toString("hex")]));
  }

  /** A committed row. */
  rowOf<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.#rows.get(table, key);
  }

  /** Takes over all changes of the view, as a store's commit does. */
  commit(): number {
    const changes = this.view.drain();
    this.#rows.apply(changes);
    this.view.evict();
    return changes.length;
  }

  #run<R>(item: AssetBlock | Vertex | SignedTx, action: () => R): R {
    this.fetch(this.chain.keysRead(item));
    const result = action();
    this.commit();
    return result;
  }
}
