/** Validators and delegators as getCurrentValidators returns them (rpc-platform 3.7). Members are in the node's order. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { encodeHexPlain } from "../../../base/bytes/hex.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { Priority, type Staker } from "../../../chains/platform/state/staker.ts";
import type { PassedUptimes } from "../../state/node-facts.ts";
import type { RpcContext } from "../method.ts";
import { ownerJson } from "./owner-json.ts";
import type { Stakers } from "./snapshot.ts";
import { stakingTerms } from "./staking-terms.ts";

export interface MeasuredStakers extends Stakers {
  /** what a followed node says of the primary network's validators */
  readonly measured: PassedUptimes | undefined;
}

export function validatorJson(context: RpcContext, stakers: MeasuredStakers, validator: Staker): JsonObject {
  const common = commonJson(validator);
  if (validator.priority === Priority.permissionedValidatorCurrent) return common;
  const { subnetId, nodeId } = validator;
  const terms = stakingTerms(validator);
  const info = stakers.stakingInfo(subnetId, nodeId);
  const { delegators, weight } = stakers.current.node(subnetId, nodeId)!;
  return {
    ...common,
    validationRewardOwner: ownerJson(context, terms.validationRewardsOwner!),
    delegationRewardOwner: ownerJson(context, terms.delegationRewardsOwner!),
    potentialReward: `${validator.potentialReward}`,
    accruedDelegateeReward: `${info?.delegateeReward ?? 0n}`,
    delegationFee: percent(terms.delegationShares!),
    ...(validator.priority === Priority.primaryValidatorCurrent && {
      ...uptimeJson(context, stakers.measured, validator, common.nodeID),
      ...(terms.signer && {
        signer: { publicKey: `0x${terms.signer.publicKey}`, proofOfPossession: encodeHexPlain(terms.signer.proofOfPossession) },
      }),
    }),
    ...(terms.validatorAuthority && {
      validatorAuthority: ownerJson(context, terms.validatorAuthority),
      nextPeriod: `${info?.nextPeriod ?? 0n}`,
      autoCompoundRewardShares: `${info?.autoCompoundRewardShares ?? 0}`,
      // over all completed cycles; both are part of the weight
      restakedValidationRewards: `${info?.accruedValidationRewards ?? 0n}`,
      restakedDelegateeRewards: `${info?.accruedDelegateeRewards ?? 0n}`,
    }),
    delegatorCount: `${delegators.length}`,
    delegatorWeight: `${weight - validator.weight}`,
  };
}

/** Only nodes that take part in the network measure uptimes. A devnet sets them, and a follower asks its node; otherwise the uptime is 0. */
function uptimeJson(context: RpcContext, measured: PassedUptimes | undefined, { subnetId, nodeId }: Staker, nodeID: string): JsonObject {
  if (measured !== undefined && Object.hasOwn(measured.validators, nodeID)) return { ...measured.validators[nodeID] };
  const isOwn = nodeId === context.node.nodeId;
  const { uptimes } = context.beyondState().facts;
  if (uptimes === undefined) return { uptime: "0.0000", connected: isOwn };
  const millionths = uptimes.uptime(subnetId, nodeId);
  return { uptime: percent(millionths), connected: isOwn || millionths > 0 };
}

export function delegatorJson(context: RpcContext, delegator: Staker): JsonObject {
  return {
    ...commonJson(delegator),
    rewardOwner: ownerJson(context, stakingTerms(delegator).delegatorRewardsOwner!),
    potentialReward: `${delegator.potentialReward}`,
  };
}

function commonJson({ txId, startTime, endTime, weight, nodeId }: Staker) {
  return {
    txID: formatId(txId),
    startTime: `${startTime}`,
    endTime: `${endTime}`,
    weight: `${weight}`,
    nodeID: formatNodeId(nodeId),
  };
}

/** Formats millionths as percent with four decimals, which is exact. */
function percent(shares: number): string {
  return `${Math.floor(shares / 10_000)}.${`${shares % 10_000}`.padStart(4, "0")}`;
}
