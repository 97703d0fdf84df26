/** Delegates to a validator of the primary network or of an elastic subnet. Rules: chain-rules 10.12. */

import { smaller } from "../../../base/bytes/amount.ts";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { list, struct, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { baseComplexity, outputsComplexity, ownerComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id, transferableOutput } from "../output.ts";
import { owner } from "../owner.ts";
import { isPermissioned, Priority } from "../state/staker.ts";
import { baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { decided, type NewStaker } from "./enter-staker.ts";
import type { Signed } from "./signed.ts";
import { stakedAsset, verifyHasStake, verifyStake } from "./stake.ts";
import {
  delegatorRules,
  SUBNET_VALIDATOR_BYTES,
  stakingPeriod,
  tooLowWeight,
  validatorFields,
  verifyCapacity,
  verifyDelegatedWeight,
  verifyDuration,
  verifyStakedAsset,
  verifyStaker,
  verifyStart,
  verifyWithin,
} from "./staker-rules.ts";

const codec = variant("AddPermissionlessDelegatorTx", {
  ...baseFields,
  validator: struct(validatorFields),
  subnetId: id,
  stake: list(transferableOutput),
  rewardsOwner: owner,
});
export type AddPermissionlessDelegatorTx = Value<typeof codec>;

export const addPermissionlessDelegator = defineTx<AddPermissionlessDelegatorTx>({
  name: "AddPermissionlessDelegatorTx",
  typeId: 26,
  codec,
  complexity: (tx) =>
    sum(
      {
        bandwidth:
          SUBNET_VALIDATOR_BYTES +
          4 + // number of stake outputs
          4, // type ID of the owner
        reads: 1,
        writes: 2,
      },
      baseComplexity(tx),
      ownerComplexity(tx.rewardsOwner),
      outputsComplexity(tx.stake),
    ),
  names: ({ validator, subnetId }) => [validator.nodeId, subnetId],
  produced: ({ stake }) => stake,
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyHasStake(tx.stake);
    within("failed to verify BaseTx", () => verifyBase(tx, network));
    verifyStaker(tx.validator.weight, tx.rewardsOwner);
    verifyDelegatedWeight(tx.validator.weight, verifyStake(tx.stake));
  },
  ...decided({ verify, staker }),
});

function verify(tx: Signed<AddPermissionlessDelegatorTx>, context: TxContext): void {
  if (context.level === "replay") return;
  const { validator, subnetId, stake } = tx.unsigned;
  const { nodeId, weight } = validator;
  const period = stakingPeriod(validator, context);
  verifyStart(period.start, context);
  const rules = delegatorRules(subnetId, context);
  if (weight < rules.minStake) throw tooLowWeight();
  verifyDuration(period.duration, rules.duration);
  verifyStakedAsset(stakedAsset(stake), rules.assetId);
  const delegatee = context.state.validator(subnetId, nodeId);
  if (delegatee === undefined) {
    const text = `failed to fetch the validator for ${formatNodeId(nodeId)} on ${formatId(subnetId)}: not found`;
    throw new RuleError("not-a-validator", text);
  }
  verifyWithin(period, delegatee);
  verifyCapacity(delegatee, weight, smaller(rules.maxWeightFactor * delegatee.weight, rules.maxWeight), period, context);
  if (subnetId !== PRIMARY_NETWORK_ID && isPermissioned(delegatee)) {
    throw new RuleError("permissioned-validator", "delegation to permissioned validator");
  }
  within("flow check failed", () => verifyFlow(tx, context));
}

function staker({ validator: staking, subnetId }: AddPermissionlessDelegatorTx): NewStaker {
  const { primaryDelegatorPending, primaryDelegatorCurrent, elasticDelegatorPending, elasticDelegatorCurrent } = Priority;
  return subnetId === PRIMARY_NETWORK_ID
    ? { subnetId, staking, pendingPriority: primaryDelegatorPending, currentPriority: primaryDelegatorCurrent }
    : { subnetId, staking, pendingPriority: elasticDelegatorPending, currentPriority: elasticDelegatorCurrent };
}
