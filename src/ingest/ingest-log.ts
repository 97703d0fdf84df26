/** Numbers everything that is ingested, so that the store can be rebuilt from itself in the same order. */

import type { Id } from "../base/bytes/id.ts";
import type { TableValue } from "../base/table/table.ts";
import type { View } from "../base/table/view.ts";
import { ingestLog, LOG_BLOCK, LOG_SHARED_MEMORY, LOG_VERTEX } from "../index/tables.ts";
import type { SharedMemoryOperation } from "../sources/source.ts";
import { ingestProgress } from "../store/tables.ts";
import { encodeOperation } from "./shared-memory-log.ts";

const SLOT = { slot: 0 };
const NOTHING: TableValue<typeof ingestProgress> = { nextSequence: 0n, sharedMemoryOperations: 0n };

export class IngestLog {
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
  }

  get progress(): TableValue<typeof ingestProgress> {
    return this.#view.get(ingestProgress, SLOT) ?? NOTHING;
  }

  block(chainId: Id, height: bigint): void {
    const ref = Buffer.alloc(8);
    ref.writeBigUInt64BE(height);
    this.#append({ kind: LOG_BLOCK, chainId, ref });
  }

  vertex(chainId: Id, vertexId: Id): void {
    this.#append({ kind: LOG_VERTEX, chainId, ref: Buffer.from(vertexId, "hex") });
  }

  sharedMemory(chainId: Id, operation: SharedMemoryOperation): void {
    this.#append({ kind: LOG_SHARED_MEMORY, chainId, ref: encodeOperation(operation) });
    const { progress } = this;
    this.#view.put(ingestProgress, SLOT, { ...progress, sharedMemoryOperations: progress.sharedMemoryOperations + 1n });
  }

  #append(row: TableValue<typeof ingestLog>): void {
    const { progress } = this;
    this.#view.put(ingestLog, { sequence: progress.nextSequence }, row);
    this.#view.put(ingestProgress, SLOT, { ...progress, nextSequence: progress.nextSequence + 1n });
  }
}
