/** A transaction that was read and decoded, before its UTXOs are read. So a page can end before it reads too many UTXOs. */

import type { Id } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { primaryBlocks } from "../../../index/primary/transactions/transaction-tables.ts";
import type { AffectedUtxo } from "../../../index/primary/transactions/tx-effects.ts";
import { decodeOutput } from "../../../index/primary/utxos/utxo-codec.ts";
import type { DataContext } from "../context.ts";
import { type AssetSum, sumByAsset } from "../utxos/asset-amount.ts";
import type { PlatformUtxo, Utxo } from "../utxos/schemas.ts";
import type { Transaction } from "./schemas.ts";

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
