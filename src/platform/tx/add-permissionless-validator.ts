/** Adds a validator that stakes: on the primary network with a BLS key, or on an elastic subnet. Rules: chain-rules 10.10. */
import { RuleError } from "../../network/execution.ts";
import { within } from "../../network/within.ts";
import { formatId } from "../../primitives/cb58.ts";
import { list, u32, type Value } from "../../primitives/codec/codec.ts";
import { struct, variant } from "../../primitives/codec/struct.ts";
import { PRIMARY_NETWORK_ID } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { baseComplexity, outputsComplexity, ownerComplexity, signerComplexity } from "../fee/complexity.ts";
import { sum } from "../fee/dimensions.ts";
import { id } from "../fields.ts";
import { verifyFlow } from "../flow.ts";
import { transferableOutput } from "../output.ts";
import { verifyOutput, verifyOutputOrder, verifyOwner } from "../output-rules.ts";
import { owner } from "../owner.ts";
import { signer, verifyProofOfPossession } from "../signer.ts";
import { Priority } from "../state/staker.ts";
import { applyBase, baseFields, inputKeys, verifyBase } from "./base.ts";
import { defineTx, type TxContext } from "./define-tx.ts";
import type { Signed } from "./signed.ts";
import { stakedAsset, stakeWeight, verifyHasStake } from "./stake.ts";
import {
  enterStaker,
  type NewStaker,
  stakingPeriod,
  tooLowWeight,
  validatorFields,
  validatorRules,
  verifyNodeId,
  verifyPrimaryValidator,
  verifyShares,
  verifyStakedAsset,
  verifyStakedWeight,
  verifyStart,
  verifyValidatorLimits,
} from "./staker-rules.ts";

const codec = variant("AddPermissionlessValidatorTx", {
  ...baseFields,
  validator: struct(validatorFields),
  subnetId: id,
  signer,
  stake: list(transferableOutput),
  validationRewardsOwner: owner,
  delegationRewardsOwner: owner,
  shares: u32,
});
export type AddPermissionlessValidatorTx = Value<typeof codec>;

export const addPermissionlessValidator = defineTx<AddPermissionlessValidatorTx>({
  name: "AddPermissionlessValidatorTx",
  typeId: 25,
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
          4 + // type ID of the signer
          4 + // number of stake outputs
          4 + // type ID of the owner of validation rewards
          4 + // type ID of the owner of delegation rewards
          4, // shares
        reads: 1,
        writes: 3,
      },
      baseComplexity(tx),
      signerComplexity(tx.signer),
      outputsComplexity(tx.stake),
      ownerComplexity(tx.validationRewardsOwner),
      ownerComplexity(tx.delegationRewardsOwner),
    ),
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyNodeId(tx.validator.nodeId);
    verifyHasStake(tx.stake);
    verifyShares(tx.shares);
    within("failed to verify BaseTx", () => verifyBase(tx, network));
    within("failed to verify validator, signer, or rewards owners", () => {
      if (tx.validator.weight === 0n) throw tooLowWeight();
      if (tx.signer.kind === "ProofOfPossession") verifyProofOfPossession(tx.signer);
      verifyOwner(tx.validationRewardsOwner);
      verifyOwner(tx.delegationRewardsOwner);
    });
    verifySignerKind(tx);
    for (const staked of tx.stake) within("failed to verify output", () => verifyOutput(staked));
    const weight = stakeWeight(tx.stake);
    stakedAsset(tx.stake);
    verifyOutputOrder(tx.stake);
    verifyStakedWeight(tx.validator.weight, weight);
  },
  execute(tx, context) {
    if (context.level === "full") verify(tx, context);
    enterStaker(tx, staker(tx.unsigned), context);
    applyBase(tx, context.state);
  },
});

function verifySignerKind({ signer: { kind }, subnetId }: AddPermissionlessValidatorTx): void {
  const hasKey = kind === "ProofOfPossession";
  const isPrimaryNetwork = subnetId === PRIMARY_NETWORK_ID;
  if (hasKey === isPrimaryNetwork) return;
  throw new RuleError("invalid-signer", `invalid signer: hasKey=${hasKey} != isPrimaryNetwork=${isPrimaryNetwork}`);
}

function verify(tx: Signed<AddPermissionlessValidatorTx>, context: TxContext): void {
  const { validator, subnetId, shares, stake } = tx.unsigned;
  const { nodeId, weight } = validator;
  const period = stakingPeriod(validator, context);
  verifyStart(period.start, context);
  const rules = validatorRules(subnetId, context);
  verifyValidatorLimits(weight, shares, period.duration, rules);
  verifyStakedAsset(stakedAsset(stake), rules.assetId);
  if (context.state.validator(subnetId, nodeId) !== undefined) {
    throw new RuleError("duplicate-validator", `duplicate validator: ${formatNodeId(nodeId)} on ${formatId(subnetId)}`);
  }
  if (subnetId !== PRIMARY_NETWORK_ID) verifyPrimaryValidator(nodeId, period, context);
  within("flow check failed", () => verifyFlow(tx, context, { outputs: stake }));
}

function staker({ validator, subnetId, signer: { kind, ...key } }: AddPermissionlessValidatorTx): NewStaker {
  const publicKey = "publicKey" in key ? key.publicKey : undefined;
  if (subnetId !== PRIMARY_NETWORK_ID) {
    const { elasticValidatorPending: pendingPriority, elasticValidatorCurrent: currentPriority } = Priority;
    return { subnetId, staking: validator, publicKey, pendingPriority, currentPriority };
  }
  const { primaryValidatorPending: pendingPriority, primaryValidatorCurrent: currentPriority } = Priority;
  return { subnetId, staking: validator, publicKey, pendingPriority, currentPriority };
}
