/** What can be done with a UTXO. */
import type { AnyUtxo } from "./primary.ts";

export interface Lock {
  /** Unix seconds; 0: none */
  readonly until: bigint;
  /** it can be staked before */
  readonly isStakeable: boolean;
}

/** The lock that ends last. A 64-bit time that no number holds is a text in answers. */
export function lockOf(utxo: AnyUtxo): Lock {
  if ("locktime" in utxo) return { until: BigInt(utxo.locktime), isStakeable: false };
  const { platformLocktime = 0, stakeableLocktime = 0 } = utxo as { platformLocktime?: number; stakeableLocktime?: number };
  const [plain, stakeable] = [BigInt(platformLocktime), BigInt(stakeableLocktime)];
  return plain >= stakeable ? { until: plain, isStakeable: false } : { until: stakeable, isStakeable: true };
}

/** The transaction in the UTXO's ID, and the output's index in it. */
export function originOf(utxo: AnyUtxo): { readonly txId: string; readonly index: string; readonly timestamp: number } {
  if ("creationTxHash" in utxo) return { txId: utxo.creationTxHash, index: utxo.outputIndex, timestamp: utxo.timestamp };
  return { txId: utxo.txHash, index: `${utxo.outputIndex}`, timestamp: utxo.blockTimestamp };
}

/** Unix seconds; undefined: unspent, or unknown */
export function spentAt(utxo: AnyUtxo): number | undefined {
  return "consumingTxTimestamp" in utxo
    ? utxo.consumingTxTimestamp
    : "consumingBlockTimestamp" in utxo
      ? utxo.consumingBlockTimestamp
      : undefined;
}
