/** Drives an asset chain from rows in memory as the ingester does from a store: prefetch, execute, commit. */
import { AssetChain } from "../../../src/asset/chain.ts";
import type { AssetBlock } from "../../../src/asset/codec.ts";
import type { AssetFacts } from "../../../src/asset/facts.ts";
import { assetChainState, assetUtxos } from "../../../src/asset/tables.ts";
import type { SignedTx } from "../../../src/asset/tx/signed-tx.ts";
import type { Vertex } from "../../../src/asset/vertex.ts";
import { type SharedElement, SharedMemory, sharedElementKeys } from "../../../src/atomic/shared-memory.ts";
import type { ExecutionContext } from "../../../src/network/execution.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { platformChains } from "../../../src/platform/tables.ts";
import type { Id } from "../../../src/primitives/id.ts";
import type { RuleLevel } from "../../../src/primitives/rule-level.ts";
import type { Table, TableKey, TableValue } from "../../../src/primitives/table.ts";
import { type RowKey, View } from "../../../src/primitives/view.ts";

export interface ReplayOptions {
  readonly level?: RuleLevel;
  /** Keep all rows in the view: faster, but reads outside `keysRead` go unnoticed. */
  readonly keepsRows?: boolean;
}

export class AssetReplay {
  readonly view = new View();
  readonly chain: AssetChain;
  readonly network: NetworkInstance;
  readonly #level: RuleLevel;
  readonly #keepsRows: boolean;
  readonly #rows = new Map<string, { table: Table; key: object; value: object }>();

  constructor(
    network: NetworkInstance,
    instance: ConstructorParameters<typeof AssetChain>[2],
    { level = "full", keepsRows = false }: ReplayOptions = {},
  ) {
    this.network = network;
    this.#level = level;
    this.#keepsRows = keepsRows;
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
    this.#prefetch(
      sharedElementKeys(
        chainId,
        source,
        elements.map(({ key }) => key),
      ),
    );
    new SharedMemory(this.view).put(source, chainId, elements);
    this.commit();
  }

  get scalars(): TableValue<typeof assetChainState> {
    return this.view.get(assetChainState, { chain: this.chain.instance.chain })!;
  }

  context(clock: bigint): ExecutionContext {
    return { network: this.network, level: this.#level, clock };
  }

  /** The UTXO set as `UTXO ID → bytes in hex`. */
  utxos(): Map<Id, string> {
    const utxos = new Map<Id, string>();
    for (const { table, key, value } of this.#rows.values()) {
      if (table.id !== assetUtxos.id) continue;
      utxos.set((key as { utxoId: Id }).utxoId, Buffer.from((value as { bytes: Uint8Array }).bytes).toString("hex"));
    }
    return utxos;
  }

  /** A committed row. */
  rowOf<T extends Table>(table: T, key: TableKey<T>): TableValue<T> | undefined {
    return this.#rows.get(rowName(table, key))?.value as TableValue<T> | undefined;
  }

  /** Takes over all changes of the view, as a store's commit does. */
  commit(): number {
    const changes = this.view.drain();
    for (const { table, key, value } of changes) {
      const name = rowName(table, key);
      if (value === undefined) this.#rows.delete(name);
      else this.#rows.set(name, { table, key, value });
    }
    if (!this.#keepsRows) this.view.evict();
    return changes.length;
  }

  #run<R>(item: AssetBlock | Vertex | SignedTx, action: () => R): R {
    this.#prefetch(this.chain.keysRead(item));
    const result = action();
    this.commit();
    return result;
  }

  #prefetch(keys: readonly RowKey[]): void {
    for (const key of keys) {
      if (!this.view.knows(key))
        this.view.load(key.table, key.key, this.#rows.get(rowName(key.table, key.key))?.value as object | undefined);
    }
  }
}

function rowName(table: Table, key: object): string {
  return `${table.id}|${Object.values(key).join("|")}`;
}
