/**
 * Adds a validator of the primary network, without a BLS key. Before Banff proposed, until Durango decided. Rules: chain-rules 10.6.
 */
import { RuleError } from "../../network/execution.ts";
import { within } from "../../network/within.ts";
import { list, u32, type Value } from "../../primitives/codec/codec.ts";
import { struct, variant } from "../../primitives/codec/struct.ts";
import { PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { verifyFlow } from "../flow.ts";
import { transferableOutput } from "../output.ts";
import { verifyOutputOrder, verifyOwner } from "../output-rules.ts";
import { owner } from "../owner.ts";
import { Priority } from "../state/staker.ts";
import { applyBase, baseFields, inputKeys, verifyBase } from "./base.ts";
import { defineTx, type TxContext } from "./define-tx.ts";
import type { Signed } from "./signed.ts";
import { returnStake, verifyAvaxStake } from "./stake.ts";
import {
  enterPending,
  enterStaker,
  stakingPeriod,
  tooLowWeight,
  validatorFields,
  validatorRules,
  verifyNodeId,
  verifyShares,
  verifyStakedWeight,
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
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyShares(tx.shares);
    within("failed to verify BaseTx", () => verifyBase(tx, network));
    within("failed to verify validator or rewards owner", () => {
      if (tx.validator.weight === 0n) throw tooLowWeight();
      verifyOwner(tx.rewardsOwner);
    });
    const weight = verifyAvaxStake(tx.stake, network, "failed to verify output");
    verifyOutputOrder(tx.stake);
    verifyStakedWeight(tx.validator.weight, weight);
  },
  verifyFirst: ({ validator }) => verifyNodeId(validator.nodeId),
  execute(tx, context) {
    verify(tx, context);
    enterStaker(tx, staker(tx.unsigned), context);
    applyBase(tx, context.state);
  },
  propose(tx, context, branch) {
    verify(tx, context);
    applyBase(tx, context.state);
    if (branch === "commit") enterPending(tx, staker(tx.unsigned), context.state);
    else returnStake(tx.id, tx.unsigned, context.state);
  },
});

function verify(tx: Signed<AddValidatorTx>, context: TxContext): void {
  const { validator, shares, stake } = tx.unsigned;
  const { start, duration } = stakingPeriod(validator, context);
  verifyValidatorLimits(validator.weight, shares, duration, validatorRules(PRIMARY_NETWORK_ID, context));
  if (context.level === "replay") return;
  verifyStart(start, context);
  if (context.state.validator(PRIMARY_NETWORK_ID, validator.nodeId) !== undefined) {
    const text = `${formatNodeId(validator.nodeId)} is already a validator of the primary network`;
    throw new RuleError("already-validator", text);
  }
  within("flow check failed", () => verifyFlow(tx, context, { outputs: stake }));
}

function staker({ validator }: AddValidatorTx) {
  return {
    subnetId: PRIMARY_NETWORK_ID,
    staking: validator,
    pendingPriority: Priority.primaryValidatorPending,
    currentPriority: Priority.primaryValidatorCurrent,
  };
}
