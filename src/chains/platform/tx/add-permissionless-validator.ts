/** Adds a staking validator, on the primary network with a BLS key, or on an elastic subnet. Rules: chain-rules 10.10. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { list, struct, u32, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { baseComplexity, outputsComplexity, ownerComplexity, signerComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id, transferableOutput } from "../output.ts";
import { verifyOwner } from "../output-rules.ts";
import { owner } from "../owner.ts";
import { publicKeyOf, signer, signerProofs, verifyProofOfPossession } from "../signer.ts";
import { Priority } from "../state/staker.ts";
import { baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { decided, type NewStaker } from "./enter-staker.ts";
import type { Signed } from "./signed.ts";
import { stakedAsset, verifyHasStake, verifyStake } from "./stake.ts";
import {
  SUBNET_VALIDATOR_BYTES,
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
          SUBNET_VALIDATOR_BYTES +
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
  names: ({ validator, subnetId }) => [validator.nodeId, subnetId],
  produced: ({ stake }) => stake,
  proofs: ({ signer }) => signerProofs(signer),
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
    verifyStakedWeight(tx.validator.weight, verifyStake(tx.stake));
  },
  ...decided({ verify, staker }),
});

function verifySignerKind({ signer: { kind }, subnetId }: AddPermissionlessValidatorTx): void {
  const hasKey = kind === "ProofOfPossession";
  const isPrimaryNetwork = subnetId === PRIMARY_NETWORK_ID;
  if (hasKey === isPrimaryNetwork) return;
  throw new RuleError("invalid-signer", `invalid signer: hasKey=${hasKey} != isPrimaryNetwork=${isPrimaryNetwork}`);
}

function verify(tx: Signed<AddPermissionlessValidatorTx>, context: TxContext): void {
  if (context.level === "replay") return;
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
  within("flow check failed", () => verifyFlow(tx, context));
}

function staker({ validator: staking, subnetId, signer }: AddPermissionlessValidatorTx): NewStaker {
  const { primaryValidatorPending, primaryValidatorCurrent, elasticValidatorPending, elasticValidatorCurrent } = Priority;
  const publicKey = publicKeyOf(signer);
  return subnetId === PRIMARY_NETWORK_ID
    ? { subnetId, staking, publicKey, pendingPriority: primaryValidatorPending, currentPriority: primaryValidatorCurrent }
    : { subnetId, staking, publicKey, pendingPriority: elasticValidatorPending, currentPriority: elasticValidatorCurrent };
}
