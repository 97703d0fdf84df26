import type { Id } from "../../../base/bytes/id.ts";
import { BoundedCache, type CacheSpace } from "../../../base/collections/bounded-cache.ts";
import type { StoredTx, TableValue } from "../../../base/table/table.ts";
import type { primaryBlocks } from "../../../index/primary/transactions/transaction-tables.ts";
import type { AffectedUtxo } from "../../../index/primary/transactions/tx-effects.ts";
import { decodeOutput } from "../../../index/primary/utxos/utxo-codec.ts";
import { withBytes } from "../../../index/stored-txs.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { DataContext } from "../context.ts";
import { type AssetSum, sumByAsset } from "../utxos/present.ts";
import type { PlatformUtxo, Utxo } from "../utxos/schemas.ts";
import type { Transaction } from "./schemas.ts";

// A transaction that was read and decoded, before its UTXOs are read. So a page can end before it reads too many UTXOs.

// Keeps parsed transactions by ID, which is a hash over their bytes: they are the same in any state. A transaction that was shown recently
// costs its row, without its part of the block.

/** Memory that a parsed transaction takes at most: its objects, and the piece of memory that its bytes are a part of. */
const SMALLEST = 8 * 2 ** 10;

const PER_BYTE = 8;

interface Parsed {
  /** with codec version */
  readonly bytes: Uint8Array;
}

/** The transactions of one chain, whose IDs are those of its network. Each chain has a class of its own, by which its server keeps them. */
export class ParsedTxs<T extends Parsed> {
  readonly #kept: BoundedCache<T>;

  constructor(space: CacheSpace) {
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

/** `height` selects the block if the transaction is in several; otherwise the last one is shown. */
export interface ShownTransaction {
  readonly txId: Id;
  readonly height?: bigint;
}

export type BlockRow = TableValue<typeof primaryBlocks>;

/** The UTXOs of a transaction that the store has; missing ones are left out. `Form` is the chain's form. */
export interface TransactionUtxos<Form extends PlatformUtxo | Utxo> {
  readonly consumed: readonly AffectedUtxo[];
  readonly emitted: readonly AffectedUtxo[];
  readonly consumedUtxos: Form[];
  readonly emittedUtxos: Form[];
}

export interface LoadedTransaction<Form extends PlatformUtxo | Utxo = PlatformUtxo | Utxo> {
  /** height of its block; 0 if it is in none */
  readonly height: bigint;
  readonly consumedIds: readonly Id[];
  readonly emittedIds: readonly Id[];
  /** @param block undefined if the store has none at that height */
  present(utxos: TransactionUtxos<Form>, block: BlockRow | undefined): Promise<Transaction>;
}

export function sumUtxos(utxos: readonly AffectedUtxo[], { network }: Pick<DataContext, "network">): AssetSum[] {
  return sumByAsset(utxos.map(({ record }) => decodeOutput(record, network)));
}
