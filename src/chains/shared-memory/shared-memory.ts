/**
 * Shared memory between the chains of a subnet (chain-rules 16): an export puts elements into it for another chain, and an import removes
 * them. The end state is the same for any interleaving of the chains: a removal that comes before its put leaves a tombstone. Works on the
 * view alone; the caller prefetches the elements' rows (`sharedElementKeys`).
 */

import type { Id, ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../base/table/view.ts";
import { sharedByAddress, sharedElements } from "./tables.ts";

/** An element that an exporting chain puts into shared memory. */
export interface SharedElement {
  /** the UTXO's ID */
  readonly key: Id;
  /** the UTXO *with* codec version */
  readonly bytes: Uint8Array;
  /** the output's addresses, by which the element can be found */
  readonly traits: readonly ShortId[];
}

const NO_BYTES = new Uint8Array(0);

export class SharedMemory {
  readonly #view: View;

  constructor(view: View) {
    this.#view = view;
  }

  /** The element that `source` exported to `destination`; undefined once it was imported. */
  get(destination: Id, source: Id, key: Id): SharedElement | undefined {
    const row = this.#row(destination, source, key);
    return row === undefined || row.isTombstone ? undefined : { key, bytes: row.bytes, traits: row.traits };
  }

  /** Makes elements available to `destination`. An element that was removed in advance is deleted together with its tombstone. */
  put(source: Id, destination: Id, elements: readonly SharedElement[]): void {
    for (const { key, bytes, traits } of elements) {
      const row = this.#row(destination, source, key);
      if (row?.isTombstone === false) throw new FirnError("duplicate-put", "duplicate put", { source, destination, key });
      if (row !== undefined) {
        this.#view.delete(sharedElements, { destination, source, key });
        continue;
      }
      this.#view.put(sharedElements, { destination, source, key }, { isTombstone: false, bytes, traits: [...traits] });
      for (const address of new Set(traits)) this.#view.put(sharedByAddress, { destination, source, address, key }, { bytes });
    }
  }

  /** Removes elements that `source` exported to `destination`, or will export. */
  remove(destination: Id, source: Id, keys: readonly Id[]): void {
    for (const key of keys) {
      const row = this.#row(destination, source, key);
      if (row?.isTombstone) throw new FirnError("duplicate-remove", "duplicate remove", { source, destination, key });
      if (row === undefined) {
        this.#view.put(sharedElements, { destination, source, key }, { isTombstone: true, bytes: NO_BYTES, traits: [] });
        continue;
      }
      this.#view.delete(sharedElements, { destination, source, key });
      for (const address of new Set(row.traits)) this.#view.delete(sharedByAddress, { destination, source, address, key });
    }
  }

  #row(destination: Id, source: Id, key: Id): TableValue<typeof sharedElements> | undefined {
    return this.#view.get(sharedElements, { destination, source, key });
  }
}

/** The rows that `get`, `put` and `remove` of these keys read. */
export function sharedElementKeys(destination: Id, source: Id, keys: readonly Id[]): RowKey[] {
  return keys.map((key) => rowKey(sharedElements, { destination, source, key }));
}
