/** What one accepted transaction did to UTXOs, in one shape for P, X and C. */
import type { Id } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { PrimaryChain } from "../primary-chain.ts";
import type { UtxoBody } from "../utxos/utxo-codec.ts";
import type { utxoRecords } from "../utxos/utxo-tables.ts";

export type UtxoRecord = TableValue<typeof utxoRecords>;

export interface AffectedUtxo {
  readonly utxoId: Id;
  readonly record: UtxoRecord;
}

/** One whose record has been decoded, so that no projection need do so again. */
export interface DecodedUtxo extends AffectedUtxo {
  readonly output: UtxoBody;
}

export interface TxEffects {
  readonly chain: PrimaryChain;
  readonly txId: Id;
  /** the node's name of the type: "BaseTx" */
  readonly type: string;
  /** height of its block; 0 for genesis and for transactions of the DAG */
  readonly height: bigint;
  /** Unix seconds: block time; on the DAG, when the source accepted its vertex */
  readonly timestamp: bigint;
  /** inputs in the transaction's order, imported ones included. Inputs from a chain that the store does not hold may be missing. */
  readonly consumed: readonly DecodedUtxo[];
  /** outputs by index: own, exported, staked; for a RewardValidatorTx also the rewards that it paid */
  readonly produced: readonly DecodedUtxo[];
  /** C only: EVM accounts that it debits (export) or credits (import), as 20 bytes in hex */
  readonly evmAddresses: readonly string[];
}

/** Drops inputs whose outputs the store does not hold: they have no record. */
export function isAffected(utxo: DecodedUtxo | undefined): utxo is DecodedUtxo {
  return utxo !== undefined;
}
