/** Makes a subnet elastic: anybody may stake on it, with its own asset and rules. Until Etna. Rules: chain-rules 10.11. */

import { EMPTY_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { u8, u32, u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { verifyPermissionedSubnetAuthorization } from "../authorization.ts";
import { verifyFlow } from "../flow.ts";
import { id } from "../output.ts";
import { verifySignatureIndices } from "../output-rules.ts";
import { authorization } from "../owner.ts";
import { applyBase, baseFields, defineTx, subnetTxKeys, verifyBase } from "./base.ts";

const codec = variant("TransformSubnetTx", {
  ...baseFields,
  subnetId: id,
  assetId: id,
  initialSupply: u64,
  maximumSupply: u64,
  minConsumptionRate: u64,
  maxConsumptionRate: u64,
  minValidatorStake: u64,
  maxValidatorStake: u64,
  minStakeDuration: u32,
  maxStakeDuration: u32,
  minDelegationFee: u32,
  minDelegatorStake: u64,
  maxValidatorWeightFactor: u8,
  uptimeRequirement: u32,
  subnetAuthorization: authorization,
});
export type TransformSubnetTx = Value<typeof codec>;

const MILLION = 1_000_000;

export const transformSubnet = defineTx<TransformSubnetTx>({
  name: "TransformSubnetTx",
  typeId: 24,
  until: "etna",
  codec,
  names: ({ subnetId }) => [subnetId],
  keysRead: subnetTxKeys,
  verifyForm(tx, network) {
    for (const [isBroken, text] of limits(tx, network)) if (isBroken) throw new RuleError("transformation-limits", text);
    verifyBase(tx, network);
    verifySignatureIndices(tx.subnetAuthorization);
  },
  execute(tx, context) {
    const { subnetId, assetId, initialSupply, maximumSupply, maxStakeDuration } = tx.unsigned;
    if (BigInt(maxStakeDuration) > context.network.staking.maxStakeDuration) {
      throw new RuleError("max-duration", "max stake duration must be less than or equal to the global max stake duration");
    }
    const credentials = verifyPermissionedSubnetAuthorization(tx, tx.unsigned, context);
    verifyFlow(tx, context, { credentials, reserve: { assetId, amount: maximumSupply - initialSupply } });
    applyBase(tx, context.state);
    context.state.transformSubnet(subnetId, tx.bytes, tx.id);
    context.state.setSupply(subnetId, initialSupply);
  },
});

/** Conditions that break a rule, with their texts, in the node's order. */
function limits(tx: TransformSubnetTx, network: NetworkInstance): [boolean, string][] {
  return [
    [tx.subnetId === PRIMARY_NETWORK_ID, "cannot transform primary network"],
    [tx.assetId === EMPTY_ID, "empty asset ID is not valid"],
    [tx.assetId === network.avaxAssetId, "asset ID can't be AVAX"],
    [tx.initialSupply === 0n, "initial supply must be non-0"],
    [tx.initialSupply > tx.maximumSupply, "initial supply can't be greater than maximum supply"],
    [tx.minConsumptionRate > tx.maxConsumptionRate, "min consumption rate must be less than or equal to max consumption rate"],
    [tx.maxConsumptionRate > MILLION, `max consumption rate must be less than or equal to ${MILLION}`],
    [tx.minValidatorStake === 0n, "min validator stake must be non-0"],
    [tx.minValidatorStake > tx.initialSupply, "min validator stake must be less than or equal to initial supply"],
    [tx.minValidatorStake > tx.maxValidatorStake, "min validator stake must be less than or equal to max validator stake"],
    [tx.maxValidatorStake > tx.maximumSupply, "max validator stake must be less than or equal to max supply"],
    [tx.minStakeDuration === 0, "min stake duration must be non-0"],
    [tx.minStakeDuration > tx.maxStakeDuration, "min stake duration must be less than or equal to max stake duration"],
    [tx.minDelegationFee > MILLION, `min delegation fee must be less than or equal to ${MILLION}`],
    [tx.minDelegatorStake === 0n, "min delegator stake must be non-0"],
    [tx.maxValidatorWeightFactor === 0, "max validator weight factor must be non-0"],
    [tx.uptimeRequirement > MILLION, `uptime requirement must be less than or equal to ${MILLION}`],
  ];
}
