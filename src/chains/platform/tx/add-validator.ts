/**
 * Adds a validator of the primary network without a BLS key. A proposal before Banff, a decision until Durango. Rules: chain-rules 10.6.
 */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { list, struct, u32, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { verifyFlow } from "../flow.ts";
import { transferableOutput } from "../output.ts";
import { owner } from "../owner.ts";
import { Priority } from "../state/staker.ts";
import { baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { proposedOrDecided } from "./enter-staker.ts";
import type { Signed } from "./signed.ts";
import { verifyAvaxStake } from "./stake.ts";
import {
  stakingPeriod,
  validatorFields,
  validatorRules,
  verifyNodeId,
  verifyShares,
  verifyStakedWeight,
  verifyStaker,
  verifyStart,
  verifyValidatorLimits,
} from "./staker-rules.ts";

const codec = variant("AddValidatorTx", {
  ...baseFields,
  validator: struct(validatorFields),
  stake: list(transferableOutput),
  rewardsOwner: owner,
  shares: u32,
});
export type AddValidatorTx = Value<typeof codec>;

export const addValidator = defineTx<AddValidatorTx>({
  name: "AddValidatorTx",
  typeId: 12,
  until: "durango",
  codec,
  names: ({ validator }) => [validator.nodeId],
  produced: ({ stake }) => stake,
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyShares(tx.shares);
    within("failed to verify BaseTx", () => verifyBase(tx, network));
    verifyStaker(tx.validator.weight, tx.rewardsOwner);
    verifyStakedWeight(tx.validator.weight, verifyAvaxStake(tx.stake, network, "failed to verify output"));
  },
  verifyFirst: ({ validator }) => verifyNodeId(validator.nodeId),
  ...proposedOrDecided({ verify, staker }),
});

function verify(tx: Signed<AddValidatorTx>, context: TxContext): void {
  const { validator, shares } = tx.unsigned;
  const { start, duration } = stakingPeriod(validator, context);
  verifyValidatorLimits(validator.weight, shares, duration, validatorRules(PRIMARY_NETWORK_ID, context));
  if (context.level === "replay") return;
  verifyStart(start, context);
  if (context.state.validator(PRIMARY_NETWORK_ID, validator.nodeId) !== undefined) {
    const text = `${formatNodeId(validator.nodeId)} is already a validator of the primary network`;
    throw new RuleError("already-validator", text);
  }
  within("flow check failed", () => verifyFlow(tx, context));
}

function staker({ validator }: AddValidatorTx) {
  return {
    subnetId: PRIMARY_NETWORK_ID,
    staking: validator,
    pendingPriority: Priority.primaryValidatorPending,
    currentPriority: Priority.primaryValidatorCurrent,
  };
}
