/** A transaction that was read and decoded, but whose UTXOs were not read yet: so a page can end before it reads too many of them. */
import type { primaryBlocks } from "../../index/primary/transaction-tables.ts";
import type { AffectedUtxo } from "../../index/primary/tx-effects.ts";
import { decodeOutput } from "../../index/primary/utxo-codec.ts";
import type { Id } from "../../primitives/id.ts";
import type { TableValue } from "../../primitives/table.ts";
import type { DataContext } from "../context.ts";
import { type AssetSum, sumByAsset } from "../utxos/asset-amount.ts";
import type { PlatformUtxo, Utxo } from "../utxos/schemas.ts";
import type { Transaction } from "./schemas.ts";

/** `height` tells the block, if the transaction is in several; otherwise it is shown in the last one. */
export interface ShownTransaction {
  readonly txId: Id;
  readonly height?: bigint;
}

export type BlockRow = TableValue<typeof primaryBlocks>;

/** What the store holds of a transaction's UTXOs; those that it lacks are left out. `Form` is that of the chain. */
export interface TransactionUtxos<Form extends PlatformUtxo | Utxo> {
  readonly consumed: readonly AffectedUtxo[];
  readonly emitted: readonly AffectedUtxo[];
  readonly consumedUtxos: Form[];
  readonly emittedUtxos: Form[];
}

export interface LoadedTransaction<Form extends PlatformUtxo | Utxo = PlatformUtxo | Utxo> {
  /** of its block; 0 also for what is in none */
  readonly height: bigint;
  readonly consumedIds: readonly Id[];
  readonly emittedIds: readonly Id[];
  /** @param block undefined if the store has none at that height */
  present(utxos: TransactionUtxos<Form>, block: BlockRow | undefined): Promise<Transaction>;
}

export function sumUtxos(utxos: readonly AffectedUtxo[], { network }: Pick<DataContext, "network">): AssetSum[] {
  return sumByAsset(utxos.map(({ record }) => decodeOutput(record, network)));
}
