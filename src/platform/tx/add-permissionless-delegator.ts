/** Delegates to a validator of the primary network or of an elastic subnet. Rules: chain-rules 10.12. */
import { RuleError } from "../../network/execution.ts";
import { within } from "../../network/within.ts";
import { smaller } from "../../primitives/amount.ts";
import { formatId } from "../../primitives/cb58.ts";
import { list, type Value } from "../../primitives/codec/codec.ts";
import { struct, variant } from "../../primitives/codec/struct.ts";
import { PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { baseComplexity, outputsComplexity, ownerComplexity } from "../fee/complexity.ts";
import { sum } from "../fee/dimensions.ts";
import { id } from "../fields.ts";
import { verifyFlow } from "../flow.ts";
import { transferableOutput } from "../output.ts";
import { verifyOutput, verifyOutputOrder, verifyOwner } from "../output-rules.ts";
import { owner } from "../owner.ts";
import { isPermissioned, Priority } from "../state/staker.ts";
import { applyBase, baseFields, inputKeys, verifyBase } from "./base.ts";
import { defineTx, type TxContext } from "./define-tx.ts";
import type { Signed } from "./signed.ts";
import { stakedAsset, stakeWeight, verifyHasStake } from "./stake.ts";
import {
  delegatorRules,
  enterStaker,
  type NewStaker,
  stakingPeriod,
  tooLowWeight,
  validatorFields,
  verifyCapacity,
  verifyDelegatedWeight,
  verifyDuration,
  verifyStakedAsset,
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
          20 + // node ID
          8 + // start
          8 + // end
          8 + // weight
          32 + // subnet
          4 + // number of stake outputs
          4, // type ID of the owner
        reads: 1,
        writes: 2,
      },
      baseComplexity(tx),
      ownerComplexity(tx.rewardsOwner),
      outputsComplexity(tx.stake),
    ),
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyHasStake(tx.stake);
    within("failed to verify BaseTx", () => verifyBase(tx, network));
    within("failed to verify validator or rewards owner", () => {
      if (tx.validator.weight === 0n) throw tooLowWeight();
      verifyOwner(tx.rewardsOwner);
    });
    for (const staked of tx.stake) within("failed to verify output", () => verifyOutput(staked));
    const weight = stakeWeight(tx.stake);
    stakedAsset(tx.stake);
    verifyOutputOrder(tx.stake);
    verifyDelegatedWeight(tx.validator.weight, weight);
  },
  execute(tx, context) {
    if (context.level === "full") verify(tx, context);
    enterStaker(tx, staker(tx.unsigned), context);
    applyBase(tx, context.state);
  },
});

function verify(tx: Signed<AddPermissionlessDelegatorTx>, context: TxContext): void {
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
  within("flow check failed", () => verifyFlow(tx, context, { outputs: stake }));
}

function staker({ validator, subnetId }: AddPermissionlessDelegatorTx): NewStaker {
  if (subnetId !== PRIMARY_NETWORK_ID) {
    const { elasticDelegatorPending: pendingPriority, elasticDelegatorCurrent: currentPriority } = Priority;
    return { subnetId, staking: validator, pendingPriority, currentPriority };
  }
  const { primaryDelegatorPending: pendingPriority, primaryDelegatorCurrent: currentPriority } = Priority;
  return { subnetId, staking: validator, pendingPriority, currentPriority };
}
