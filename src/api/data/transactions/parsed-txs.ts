/**
 * Keeps parsed transactions by ID, which is a hash over their bytes: they are the same in any state. A transaction that was shown recently
 * costs its row, without its part of the block.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { BoundedCache, type CacheSpace } from "../../../base/collections/bounded-cache.ts";
import { keptAnswers } from "../../../base/kept-answers.ts";
import type { StoredTx } from "../../../base/table/stored-tx.ts";
import { withBytes } from "../../../index/stored-txs.ts";
import type { StoreReader } from "../../../store/store.ts";

/** Memory that a parsed transaction takes at most: its objects, and the piece of memory that its bytes are a part of. */
const SMALLEST = 8 * 2 ** 10;
const PER_BYTE = 8;

interface Parsed {
  /** with codec version */
  readonly bytes: Uint8Array;
}

/** Of one chain, whose IDs are those of its network. */
export class ParsedTxs<T extends Parsed> {
  readonly #kept: BoundedCache<T>;

  constructor(space: CacheSpace = keptAnswers) {
    this.#kept = new BoundedCache<T>(space, ({ bytes }) => SMALLEST + PER_BYTE * bytes.length);
  }

  /** In the order of the rows; undefined where there is none. */
  async of<R extends StoredTx & { readonly height: bigint }>(
    txIds: readonly Id[],
    rows: readonly (R | undefined)[],
    { reader, chainId, parse }: { readonly reader: StoreReader; readonly chainId: Id; parse(bytes: Uint8Array): T },
  ): Promise<(T | undefined)[]> {
    const txs = rows.map((row, i) => row && this.#kept.get(txIds[i]!));
    const missing = await withBytes(
      reader,
      chainId,
      rows.map((row, i) => (txs[i] === undefined ? row : undefined)),
    );
    for (const [i, row] of missing.entries()) {
      if (row === undefined) continue;
      const tx = parse(row.bytes);
      this.#kept.set(txIds[i]!, tx);
      txs[i] = tx;
    }
    return txs;
  }
}
