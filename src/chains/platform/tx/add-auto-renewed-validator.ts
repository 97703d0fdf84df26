/** Adds a validator of the primary network whose period is renewed until it is told to stop. Rules: chain-rules 12.1. */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { bytes, list, u32, u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { baseComplexity, outputsComplexity, ownerComplexity, signerComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { transferableOutput } from "../output.ts";
import { verifyOutput, verifyOutputOrder, verifyOwner } from "../output-rules.ts";
import { owner } from "../owner.ts";
import { publicKeyOf, signer, signerProofs, verifyProofOfPossession } from "../signer.ts";
import { Priority } from "../state/staker.ts";
import { toNodeId } from "../warp/l1-messages.ts";
import { applyBase, baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { enterCurrent } from "./enter-staker.ts";
import type { Signed } from "./signed.ts";
import { stakeWeight, verifyHasStake } from "./stake.ts";
import { validatorRules, verifyNodeId, verifyRestakedShares, verifyShares, verifyValidatorLimits } from "./staker-rules.ts";

const codec = variant("AddAutoRenewedValidatorTx", {
  ...baseFields,
  nodeId: bytes,
  signer,
  stake: list(transferableOutput),
  validationRewardsOwner: owner,
  delegationRewardsOwner: owner,
  validatorAuthority: owner,
  delegationShares: u32,
  autoCompoundRewardShares: u32,
  period: u64,
});
export type AddAutoRenewedValidatorTx = Value<typeof codec>;

export const addAutoRenewedValidator = defineTx<AddAutoRenewedValidatorTx>({
  name: "AddAutoRenewedValidatorTx",
  typeId: 40,
  since: "helicon",
  codec,
  complexity: (tx) =>
    sum(
      {
        bandwidth:
          4 + // length of the node ID
          20 + // node ID
          4 + // type ID of the signer
          4 + // number of stake outputs
          4 + // type ID of the owner of validation rewards
          4 + // type ID of the owner of delegation rewards
          4 + // type ID of the authority
          4 + // shares of delegations
          4 + // shares restaked
          8, // period
        writes: 3,
      },
      baseComplexity(tx),
      signerComplexity(tx.signer),
      outputsComplexity(tx.stake),
      ownerComplexity(tx.validationRewardsOwner),
      ownerComplexity(tx.delegationRewardsOwner),
      ownerComplexity(tx.validatorAuthority),
    ),
  names: ({ nodeId }) => [Buffer.from(nodeId).toString("hex")],
  produced: ({ stake }) => stake,
  proofs: ({ signer }) => signerProofs(signer),
  keysRead: inputKeys,
  verifyForm(tx, network) {
    verifyHasStake(tx.stake);
    verifyShares(tx.delegationShares);
    verifyRestakedShares(tx.autoCompoundRewardShares);
    if (tx.period === 0n) throw new RuleError("missing-period", "missing period");
    verifyNodeId(toNodeId(tx.nodeId));
    within("verifying BaseTx", () => verifyBase(tx, network));
    within("verifying signer, rewards owners or validator authority", () => {
      if (tx.signer.kind === "ProofOfPossession") verifyProofOfPossession(tx.signer);
      verifyOwner(tx.validationRewardsOwner);
      verifyOwner(tx.delegationRewardsOwner);
      verifyOwner(tx.validatorAuthority);
    });
    if (tx.signer.kind === "Empty") throw new RuleError("missing-signer", "missing signer");
    for (const staked of tx.stake) within("verifying output", () => verifyOutput(staked));
    if (tx.stake.some(({ assetId }) => assetId !== network.avaxAssetId)) {
      throw new RuleError("stake-not-avax", "invalid staked asset");
    }
    stakeWeight(tx.stake);
    verifyOutputOrder(tx.stake);
  },
  execute(tx, context) {
    if (context.level === "full") verify(tx, context);
    enter(tx, context);
    applyBase(tx, context.state);
  },
});

function verify(tx: Signed<AddAutoRenewedValidatorTx>, context: TxContext): void {
  const { stake, delegationShares, period, nodeId } = tx.unsigned;
  verifyValidatorLimits(stakeWeight(stake), delegationShares, period, validatorRules(PRIMARY_NETWORK_ID, context));
  const node = toNodeId(nodeId);
  if (context.state.validator(PRIMARY_NETWORK_ID, node) !== undefined) {
    throw new RuleError("duplicate-validator", `duplicate validator: ${formatNodeId(node)}`);
  }
  within("flow check failed", () => verifyFlow(tx, context));
}

function enter(tx: Signed<AddAutoRenewedValidatorTx>, { state }: TxContext): void {
  const { stake, period, autoCompoundRewardShares, signer } = tx.unsigned;
  const [subnetId, nodeId, start] = [PRIMARY_NETWORK_ID, toNodeId(tx.unsigned.nodeId), state.timestamp];
  const staking = { nodeId, start, end: start + period, weight: stakeWeight(stake) };
  enterCurrent(tx, { subnetId, staking, publicKey: publicKeyOf(signer), currentPriority: Priority.primaryValidatorCurrent }, state);
  state.setStakingInfo(subnetId, nodeId, { autoCompoundRewardShares, nextPeriod: period });
}
