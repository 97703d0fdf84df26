/** What one accepted transaction of P, X or C did to UTXOs: the same shape for all chains. */
import type { Id } from "../../primitives/id.ts";
import type { TableValue } from "../../primitives/table.ts";
import type { PrimaryChain } from "./primary-chain.ts";
import type { utxoRecords } from "./utxo-tables.ts";

export type UtxoRecord = TableValue<typeof utxoRecords>;

export interface AffectedUtxo {
  readonly utxoId: Id;
  readonly record: UtxoRecord;
}

export interface TxEffects {
  readonly chain: PrimaryChain;
  readonly txId: Id;
  /** the node's name of the type: "BaseTx" */
  readonly type: string;
  /** of its block; 0 for genesis and for transactions of the DAG */
  readonly height: bigint;
  /** Unix seconds: block time; of the DAG: when the source accepted its vertex */
  readonly timestamp: bigint;
  /** inputs, imported ones included, in the transaction's order; those of a chain that the store does not hold may be missing */
  readonly consumed: readonly AffectedUtxo[];
  /** outputs by index: own, exported, staked; for a RewardValidatorTx also the rewards that it paid */
  readonly produced: readonly AffectedUtxo[];
  /** C only: EVM accounts that it debits (export) or credits (import), 20 bytes hex */
  readonly evmAddresses: readonly string[];
}

/** For the lists of what was found: an input whose output the store does not hold has no record. */
export function isAffected(utxo: AffectedUtxo | undefined): utxo is AffectedUtxo {
  return utxo !== undefined;
}
