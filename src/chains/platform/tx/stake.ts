/** Stake outputs, which are locked while staked (chain-formats 6.6). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { RuleError, within } from "../../../network/execution.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { addAmounts } from "../flow.ts";
import { type TransferableOutput, unlockedOutput } from "../output.ts";
import { verifyOutput, verifyOutputOrder } from "../output-rules.ts";
import type { PlatformState } from "../state/platform-state.ts";
import type { Base } from "./base.ts";

export interface Staking extends Pick<Base, "outputs"> {
  readonly stake: readonly TransferableOutput[];
}

/** Sum of the stake outputs. */
export function stakeWeight(stake: readonly TransferableOutput[]): bigint {
  return stake.reduce((total, { output }) => addAmounts(total, unlockedOutput(output).amount), 0n);
}

/** The staked asset. All stake outputs must have the same asset. */
export function stakedAsset(stake: readonly TransferableOutput[]): Id {
  const first = stake[0]!.assetId;
  const other = stake.find(({ assetId }) => assetId !== first);
  if (other === undefined) return first;
  const text = `multiple staked assets: "${formatId(first)}" and "${formatId(other.assetId)}"`;
  throw new RuleError("multiple-assets", text);
}

export function verifyHasStake(stake: readonly TransferableOutput[]): void {
  if (stake.length === 0) throw new RuleError("no-stake", "no stake");
}

/** Checks a stake of one asset; returns its sum. */
export function verifyStake(stake: readonly TransferableOutput[]): bigint {
  for (const staked of stake) within("failed to verify output", () => verifyOutput(staked));
  const total = stakeWeight(stake);
  stakedAsset(stake);
  verifyOutputOrder(stake);
  return total;
}

/** Checks the stake of the types that accept only AVAX; returns its sum. */
export function verifyAvaxStake(stake: readonly TransferableOutput[], network: NetworkInstance, problem: string): bigint {
  let total = 0n;
  for (const staked of stake) {
    within(problem, () => verifyOutput(staked));
    total = addAmounts(total, unlockedOutput(staked.output).amount);
    if (staked.assetId !== network.avaxAssetId) {
      throw new RuleError("stake-not-avax", `stake must be AVAX but is "${formatId(staked.assetId)}"`);
    }
  }
  verifyOutputOrder(stake);
  return total;
}

/** Returns the stake: stake output i becomes the UTXO after the transaction's own outputs. */
export function returnStake(txId: Id, { outputs, stake }: Staking, state: PlatformState): void {
  stake.forEach(({ assetId, output }, i) => {
    state.produceUtxo({ txId, outputIndex: outputs.length + i, assetId, output });
  });
}
