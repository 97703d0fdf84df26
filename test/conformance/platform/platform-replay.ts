/** Executes a recording's P-chain over rows in memory. Reading a row that `keysRead` did not name is an error. */

import type { Id, ShortId } from "../../../src/base/bytes/id.ts";
import { EMPTY_ID } from "../../../src/base/bytes/id.ts";
import { type RowKey, rowKey, View } from "../../../src/base/table/view.ts";
import { PlatformChain } from "../../../src/chains/platform/chain.ts";
import type { PlatformFacts } from "../../../src/chains/platform/facts.ts";
import { platformValidatorDiffs } from "../../../src/chains/platform/tables.ts";
import { SharedMemory } from "../../../src/chains/shared-memory/shared-memory.ts";
import { sharedElements } from "../../../src/chains/shared-memory/tables.ts";
import type { ExecutionContext, ProposerHeader } from "../../../src/network/execution.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { MemoryRows } from "../memory-rows.ts";

export class PlatformReplay {
  readonly network: NetworkInstance;
  readonly rows = new MemoryRows();
  view!: View;
  chain!: PlatformChain;
  readonly genesis: PlatformFacts;

  constructor(network: NetworkInstance) {
    this.network = network;
    this.reload();
    this.genesis = this.chain.genesis();
    this.#commit();
  }

  /** Starts again from the rows, as a process does. */
  reload(): void {
    this.view = new View();
    this.chain = new PlatformChain(this.network, this.view);
    this.rows.loadResident(this.view, PlatformChain.residentTables);
    this.chain.initialize(this.rows.all(platformValidatorDiffs));
  }

  execute(bytes: Uint8Array, options: Omit<ExecutionContext, "network">, header?: ProposerHeader): PlatformFacts | undefined {
    const block = this.chain.parse(bytes);
    this.rows.prefetch(this.view, this.chain.keysRead(block));
    const facts = this.chain.execute(block, { network: this.network, ...options }, header);
    this.#commit();
    return facts;
  }

  /** Verifies a block without effect. */
  verify(bytes: Uint8Array, options: Omit<ExecutionContext, "network">, header?: ProposerHeader): void {
    const block = this.chain.parse(bytes);
    this.rows.prefetch(this.view, this.chain.keysRead(block));
    this.chain.verifyBlock(bytes, { network: this.network, ...options }, header);
  }

  /** Puts into shared memory what another chain exported to P. */
  share(source: Id, element: { key: Id; bytes: Uint8Array; traits: ShortId[] }): void {
    this.rows.prefetch(this.view, [rowKey(sharedElements, { destination: EMPTY_ID, source, key: element.key })]);
    new SharedMemory(this.view).put(source, EMPTY_ID, [element]);
    this.#commit();
  }

  fetch(keys: readonly RowKey[]): void {
    this.rows.prefetch(this.view, keys);
  }

  #commit(): void {
    this.rows.apply(this.view.drain());
    this.view.evict();
  }
}
