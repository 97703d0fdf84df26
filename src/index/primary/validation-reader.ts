/** Records of validations and delegations, for other parts of the API. */
import type { Id } from "../../primitives/id.ts";
import type { StoreReader } from "../../store/store.ts";
import { COMPLETED, delegations, type StakingTotals, stakingTotals, type Validation, validations } from "./staking-tables.ts";

/**
 * The transactions that ended the periods of stakers, rewarding them or not, in the order of `stakingTxIds`: undefined for one that did not
 * end so, or is no staking transaction.
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

/** Active stakers of the primary network. One row. */
export async function readStakingTotals(reader: StoreReader): Promise<StakingTotals> {
  return (await reader.get(stakingTotals, { slot: 0 })) ?? NO_STAKING;
}
