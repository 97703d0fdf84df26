/** Reads records of validations and delegations, for other parts of the API. */
import type { Id } from "../../../base/bytes/id.ts";
import type { StoreReader } from "../../../store/store.ts";
import { COMPLETED, delegations, type StakingTotals, stakingTotals, type Validation, validations } from "./staking-tables.ts";

/**
 * Returns the transactions that ended the periods of stakers, with or without a reward, in the order of `stakingTxIds`. Undefined for a
 * period that did not end this way, and for anything but a staking transaction.
 */
export async function rewardTxOf(reader: StoreReader, stakingTxIds: readonly Id[]): Promise<(Id | undefined)[]> {
  const keys = stakingTxIds.map((txId) => ({ txId }));
  const [validated, delegated] = await Promise.all([reader.getMany(validations, keys), reader.getMany(delegations, keys)]);
  return keys.map((_, i) => rewardedBy(validated[i]) ?? delegated[i]?.rewardTxId);
}

function rewardedBy(validation: Validation | undefined): Id | undefined {
  return validation?.status === COMPLETED ? validation.left?.txId : undefined;
}

export const NO_STAKING: StakingTotals = {
  validatorCount: 0,
  validatorStake: 0n,
  delegatorCount: 0,
  delegatorStake: 0n,
  potentialRewards: 0n,
  nodeCount: 0,
  changeCount: 0n,
};

/** Totals of active stakers of the primary network. Reads one row. */
export async function readStakingTotals(reader: StoreReader): Promise<StakingTotals> {
  return (await reader.get(stakingTotals, { slot: 0 })) ?? NO_STAKING;
}
