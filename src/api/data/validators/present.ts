/** Presents a validation as JSON. */
import type { Static } from "typebox";
import { encodeBech32 } from "../../../base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { encodeHexPlain } from "../../../base/bytes/hex.ts";
import { type Id, PRIMARY_NETWORK_ID, type ShortId } from "../../../base/bytes/id.ts";
import { ACTIVE, COMPLETED, PENDING, type Validation } from "../../../index/primary/staking/staking-tables.ts";
import type { ValidationSnapshot } from "../../../index/primary/staking/validation-snapshot.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { Uptimes } from "../../state/node-facts.ts";
import type { validatorSchema } from "./schemas.ts";

export type ValidatorJson = Static<typeof validatorSchema>;

const UNKNOWN_HEALTH = {
  reachabilityPercent: 0,
  benchedPChainRequestsPercent: 0,
  benchedXChainRequestsPercent: 0,
  benchedCChainRequestsPercent: 0,
};

interface PresentationContext {
  readonly network: Pick<NetworkInstance, "hrp">;
  readonly snapshot: ValidationSnapshot;
  readonly uptimes: Uptimes | undefined;
}

export function presentValidator(txId: Id, validation: Validation, { network, snapshot, uptimes }: PresentationContext): ValidatorJson {
  const common = commonJson(txId, validation);
  const { status, delegators, everDelegated, left } = validation;
  switch (status) {
    case PENDING:
      return { ...common, validationStatus: "pending" };
    case ACTIVE: {
      const capacity = snapshot.find(txId)?.capacity;
      return {
        ...common,
        delegatorCount: delegators.count,
        amountDelegated: `${delegators.weight}`,
        validationStatus: "active",
        stakePercentage: percentOf(validation.weight, snapshot.activeStake(validation.subnetId)),
        uptimePerformance: uptimePercent(validation, uptimes),
        ...(capacity !== undefined && { delegationCapacity: `${capacity}` }),
        potentialRewards: rewardsJson(validation, { validation: validation.potentialReward, delegation: delegators.fees }, network),
        validatorHealth: UNKNOWN_HEALTH,
        geolocation: null,
      };
    }
    case COMPLETED:
      return {
        ...common,
        delegatorCount: everDelegated.count,
        amountDelegated: `${everDelegated.weight}`,
        validationStatus: "completed",
        rewards: {
          ...rewardsJson(validation, validation.rewards, network),
          ...(left?.txId !== undefined && { rewardTxHash: formatId(left.txId) }),
        },
      };
    default:
      return {
        ...common,
        validationStatus: "removed",
        removeTxHash: formatId(left!.txId!),
        removeTimestamp: Number(left!.timestamp),
      };
  }
}

/** 0 if uptimes are not measured here. */
export function uptimePercent({ subnetId, nodeId }: Pick<Validation, "subnetId" | "nodeId">, uptimes: Uptimes | undefined): number {
  return uptimes === undefined ? 0 : uptimes.uptime(subnetId, nodeId) / 10_000;
}

function commonJson(txId: Id, { nodeId, subnetId, weight, start, end, terms, signer, isAutoRenewed }: Validation) {
  return {
    txHash: formatId(txId),
    nodeId: formatNodeId(nodeId),
    subnetId: formatId(subnetId),
    amountStaked: `${weight}`,
    ...(subnetId === PRIMARY_NETWORK_ID && terms !== undefined && { delegationFee: feePercent(terms.shares) }),
    startTimestamp: Number(start),
    endTimestamp: Number(end),
    ...(signer !== undefined && {
      blsCredentials: { publicKey: `0x${signer.publicKey}`, proofOfPossession: encodeHexPlain(signer.proofOfPossession) },
    }),
    stakingType: stakingType(isAutoRenewed),
  };
}

function rewardsJson({ terms }: Validation, amounts: Validation["rewards"], network: Pick<NetworkInstance, "hrp">) {
  return {
    validationRewardAmount: `${amounts.validation}`,
    delegationRewardAmount: `${amounts.delegation}`,
    ...(terms !== undefined && { rewardAddresses: addressTexts(terms.validationOwner, network) }),
  };
}

export function stakingType(isAutoRenewed: boolean): "autoRenewed" | "fixed" {
  return isAutoRenewed ? "autoRenewed" : "fixed";
}

export function addressTexts(addresses: readonly ShortId[], { hrp }: Pick<NetworkInstance, "hrp">): string[] {
  return addresses.map((address) => encodeBech32(hrp, address));
}

/** Millionths as percent. Four decimals are exact; the remaining twelve are zeros. */
export function feePercent(shares: number): string {
  return `${Math.floor(shares / 10_000)}.${`${shares % 10_000}`.padStart(4, "0")}${"0".repeat(12)}`;
}

export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : (Number(part) / Number(whole)) * 100;
}
