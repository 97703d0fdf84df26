/** Numbers everything that is ingested, so that the store can be rebuilt from itself in the same order. */

import { formatId } from "../base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { TableValue } from "../base/table/table.ts";
import type { View } from "../base/table/view.ts";
import { ingestLog, LOG_BLOCK, LOG_SHARED_MEMORY, LOG_VERTEX } from "../index/tables.ts";
import type { UnwrappedBlock } from "../network/execution.ts";
import { unwrapBlock } from "../network/proposervm.ts";
import { isUnknownFormat } from "../network/unknown-format.ts";
import type { BlockItem, SharedMemoryOperation } from "../sources/source.ts";
import { ingestProgress } from "../store/tables.ts";
import { encodeOperation } from "./shared-memory-log.ts";

const EMPTY = new Uint8Array(0);

interface Block {
  readonly id: Id;
  readonly height: bigint;
}

/**
 * Takes a block out of its container and parses it, once: a container is recognized by having a valid block inside. Height and ID must
 * match what the source says, so that a damaged container is found here and not at the next block.
 */
export function unwrapParsed<B extends Block>(
  { container, height, id, isHeaderUnknown }: BlockItem,
  parse: (bytes: Uint8Array) => B,
): { unwrapped: UnwrappedBlock; block: B } {
  let inner: B | undefined;
  let innerError: FirnError | undefined;
  const isInner = (bytes: Uint8Array): boolean => {
    try {
      inner = parse(bytes);
      return true;
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      innerError = error;
      return false;
    }
  };
  let bare: B | undefined;
  const bareId = (bytes: Uint8Array): Id => {
    try {
      bare = parse(bytes);
      return bare.id;
    } catch (error) {
      // what is no block as a whole is a container of one that is not known
      throw isUnknownFormat(innerError) ? innerError : error;
    }
  };
  const unwrapped = isHeaderUnknown === true ? withoutHeader(container, bareId) : unwrapBlock(container, isInner, bareId);
  const block = (bare ?? inner)!;
  if (id !== undefined && id !== unwrapped.containerId && id !== block.id) {
    throw new FirnError(
      "block-id",
      `the bytes are block ${formatId(block.id)} in container ${formatId(unwrapped.containerId)}, not ${formatId(id)}`,
    );
  }
  if (height !== block.height) throw new FirnError("block-height", `the bytes are a block at height ${block.height}, not ${height}`);
  return { unwrapped, block };
}

/** A block that may have a container, which is not known. */
function withoutHeader(bytes: Uint8Array, check: (bytes: Uint8Array) => Id): UnwrappedBlock {
  check(bytes);
  return bareBlock(EMPTY_ID, bytes);
}

/** A block that was made here, not received: block 0 of a chain. */
export function bareBlock(containerId: Id, bytes: Uint8Array): UnwrappedBlock {
  return { containerId, head: EMPTY, inner: bytes, tail: EMPTY };
}

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
