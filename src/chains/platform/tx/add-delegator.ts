/** Delegates to a validator of the primary network. A proposal before Banff, a decision until Durango. Rules: chain-rules 10.7. */

import { MAX_U64, smaller } from "../../../base/bytes/amount.ts";
import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { list, struct, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { verifyFlow } from "../flow.ts";
import { transferableOutput } from "../output.ts";
import { owner } from "../owner.ts";
import { Priority, type Staker } from "../state/staker.ts";
import { baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { proposedOrDecided } from "./enter-staker.ts";
import type { Signed } from "./signed.ts";
import { verifyAvaxStake } from "./stake.ts";
import {
  MAX_WEIGHT_FACTOR,
  stakingPeriod,
  tooLowWeight,
  validatorFields,
  verifyCapacity,
  verifyDelegatedWeight,
  verifyDuration,
  verifyStaker,
  verifyStart,
  verifyWithin,
} from "./staker-rules.ts";

const codec = variant("AddDelegatorTx", {
  ...baseFields,
  validator: struct(validatorFields),
  stake: list(transferableOutput),
  rewardsOwner: owner,
});
export type AddDelegatorTx = Value<typeof codec>;

export const addDelegator = defineTx<AddDelegatorTx>({
  name: "AddDelegatorTx",
  typeId: 14,
  until: "durango",
  codec,
  names: ({ validator }) => [validator.nodeId],
  produced: ({ stake }) => stake,
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyBase(tx, network);
    verifyStaker(tx.validator.weight, tx.rewardsOwner);
    verifyDelegatedWeight(tx.validator.weight, verifyAvaxStake(tx.stake, network, "output verification failed"));
  },
  ...proposedOrDecided({ verify, staker }),
});

function verify(tx: Signed<AddDelegatorTx>, context: TxContext): void {
  const { validator } = tx.unsigned;
  const { minDelegatorStake, minStakeDuration, maxStakeDuration } = context.network.staking;
  const period = stakingPeriod(validator, context);
  verifyDuration(period.duration, { min: minStakeDuration, max: maxStakeDuration });
  if (validator.weight < minDelegatorStake) throw tooLowWeight();
  if (context.level === "replay") return;
  verifyStart(period.start, context);
  const delegatee = context.state.validator(PRIMARY_NETWORK_ID, validator.nodeId);
  if (delegatee === undefined) {
    const text = `failed to fetch the primary network validator for ${formatNodeId(validator.nodeId)}: not found`;
    throw new RuleError("not-a-validator", text);
  }
  const maxWeight = maximumWeight(delegatee, context);
  verifyWithin(period, delegatee);
  verifyCapacity(delegatee, validator.weight, maxWeight, period, context);
  within("flow check failed", () => verifyFlow(tx, context));
}

function maximumWeight({ weight }: Staker, { state, network }: TxContext): bigint {
  const product = MAX_WEIGHT_FACTOR * weight;
  if (product > MAX_U64) throw new RuleError("stake-overflow", "validator stake exceeds limit");
  if (!state.isActive("apricotPhase3")) return product;
  return smaller(product, network.staking.maxValidatorStake);
}

function staker({ validator }: AddDelegatorTx) {
  return {
    subnetId: PRIMARY_NETWORK_ID,
    staking: validator,
    pendingPriority: Priority.primaryApricotDelegatorPending,
    currentPriority: Priority.primaryDelegatorCurrent,
  };
}
