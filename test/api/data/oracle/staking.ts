/** Validators, delegators and rewards, recomputed (reference 5.14–5.16, 6.5, 8.5, 8.6, 8.11). */

import { smaller } from "../../../../src/base/bytes/amount.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID, type ShortId } from "../../../../src/base/bytes/id.ts";
import { splitReward } from "../../../../src/chains/platform/rewards.ts";
import type { History, Reward, Staker } from "./history.ts";
import { addressesOf, assetAmount, present } from "./json.ts";
import { isThere } from "./stakers.ts";
import { compareBy, ordered } from "./utxos.ts";

export type SortBy = "blockIndex" | "delegationCapacity" | "timeRemaining" | "delegationFee" | "uptimePerformance";

export interface ValidatorQuery {
  /** node IDs or parts of them */
  readonly nodeIds?: readonly string[] | undefined;
  readonly sortBy?: SortBy | undefined;
  readonly sortOrder?: "asc" | "desc" | undefined;
  readonly validationStatus?: Staker["status"] | undefined;
  readonly minDelegationCapacity?: bigint | undefined;
  readonly maxDelegationCapacity?: bigint | undefined;
  readonly minTimeRemaining?: number | undefined;
  readonly maxTimeRemaining?: number | undefined;
  readonly minFeePercentage?: number | undefined;
  readonly maxFeePercentage?: number | undefined;
  readonly minUptimePerformance?: number | undefined;
  readonly maxUptimePerformance?: number | undefined;
  readonly subnetId?: Id | undefined;
}

const byBlock = compareBy<Staker>(
  ({ tx }) => tx.height,
  ({ tx }) => tx.txId,
);

export function listValidators(history: History, query: ValidatorQuery, clock: bigint): object[] {
  return findValidators(history, query, clock).map((staker) => validatorJson(history, staker));
}

export function findValidators(history: History, query: ValidatorQuery, clock: bigint): Staker[] {
  const { nodeIds, sortBy = "blockIndex", sortOrder, validationStatus, subnetId } = query;
  const found = history.stakers.filter((staker) => {
    if (staker.role !== "validator") return false;
    if (validationStatus !== undefined && staker.status !== validationStatus) return false;
    if (subnetId !== undefined && staker.subnetId !== subnetId) return false;
    if (nodeIds !== undefined && !nodeIds.some((part) => formatNodeId(staker.nodeId).includes(part))) return false;
    return (
      isWithin(capacityOf(history, staker), query.minDelegationCapacity, query.maxDelegationCapacity, [0n, 720_000_000_000_000_000n]) &&
      isWithin(secondsLeft(staker, clock), query.minTimeRemaining, query.maxTimeRemaining, [0, 2_147_483_647]) &&
      isWithin(feeOf(staker), query.minFeePercentage, query.maxFeePercentage, [2, 100]) &&
      isWithin(uptimeOf(staker), query.minUptimePerformance, query.maxUptimePerformance, [90, 100])
    );
  });
  const figureOf = (staker: Staker): bigint | number | undefined => {
    switch (sortBy) {
      case "blockIndex":
        return 0;
      case "delegationCapacity":
        return capacityOf(history, staker);
      case "timeRemaining":
        return isThere(staker) ? staker.end : undefined;
      case "delegationFee":
        return staker.shares;
      case "uptimePerformance":
        return uptimeOf(staker);
    }
  };
  const having = found.filter((staker) => figureOf(staker) !== undefined);
  const lacking = found.filter((staker) => figureOf(staker) === undefined);
  const byFigure = (a: Staker, b: Staker) => compareBy<Staker>((staker) => figureOf(staker)!)(a, b) || byBlock(a, b);
  return [...ordered(having, byFigure, sortOrder), ...ordered(lacking, byBlock, sortOrder)];
}

/** A bound that is not given counts if the other one is; what lacks the figure is outside of both. */
function isWithin<T extends bigint | number>(figure: T | undefined, min: T | undefined, max: T | undefined, [low, high]: [T, T]): boolean {
  if (min === undefined && max === undefined) return true;
  return figure !== undefined && figure >= (min ?? low) && figure <= (max ?? high);
}

function delegatorsOf(history: History, validator: Staker): Staker[] {
  return history.stakers.filter((staker) => staker.validator === validator);
}

/** undefined for what has none */
export function capacityOf(history: History, staker: Staker): bigint | undefined {
  if (staker.status !== "active" || staker.isPermissioned) return undefined;
  const { maxValidatorStake } = history.network.staking;
  const subnet = history.transformations.get(staker.subnetId);
  const most = subnet
    ? smaller(BigInt(subnet.maxValidatorWeightFactor) * staker.weight, subnet.maxValidatorStake)
    : smaller(5n * staker.weight, maxValidatorStake);
  const free = most - staker.weight - weightOf(delegatorsOf(history, staker).filter(({ status }) => status === "active"));
  return free > 0n ? free : 0n;
}

function weightOf(stakers: readonly Staker[]): bigint {
  return stakers.reduce((sum, { weight }) => sum + weight, 0n);
}

export function secondsLeft(staker: Staker, clock: bigint): number | undefined {
  if (!isThere(staker)) return undefined;
  return staker.end > clock ? Number(staker.end - clock) : 0;
}

/** Percent; subnets' validators have none. */
export function feeOf({ subnetId, shares }: Staker): number | undefined {
  return subnetId === PRIMARY_NETWORK_ID ? shares! / 10_000 : undefined;
}

/** Nobody measured it. */
function uptimeOf({ status }: Staker): number | undefined {
  return status === "active" ? 0 : undefined;
}

function feeText(shares: number): string {
  return `${(shares / 10_000).toFixed(4)}${"0".repeat(12)}`;
}

function feeOfDelegation({ potentialReward, validator }: Staker): { fee: bigint; net: bigint } {
  const { shared: fee, rest: net } = splitReward(potentialReward, validator!.shares!);
  return { fee, net };
}

const stakingType = ({ isAutoRenewed }: Staker) => (isAutoRenewed ? "autoRenewed" : "fixed");

function validatorJson(history: History, staker: Staker) {
  const { tx, nodeId, subnetId, weight, shares, start, end, signer, status, leftBy, leftAt, rewardsOwner } = staker;
  const common = {
    txHash: formatId(tx.txId),
    nodeId: formatNodeId(nodeId),
    subnetId: formatId(subnetId),
    amountStaked: `${weight}`,
    delegationFee: subnetId === PRIMARY_NETWORK_ID ? feeText(shares!) : undefined,
    startTimestamp: Number(start),
    endTimestamp: Number(end),
    blsCredentials: signer && {
      publicKey: `0x${signer.publicKey}`,
      proofOfPossession: `0x${Buffer.from(signer.proofOfPossession).toString("hex")}`,
    },
    validationStatus: status,
    stakingType: stakingType(staker),
  };
  const delegators = delegatorsOf(history, staker).filter(({ activeFrom }) => activeFrom !== undefined);
  const rewardAddresses = rewardsOwner && addressesOf(history, rewardsOwner.addresses);
  switch (status) {
    case "pending":
      return present(common);
    case "removed":
      return present({ ...common, removeTxHash: formatId(leftBy!.txId), removeTimestamp: Number(leftAt) });
    case "active": {
      const current = delegators.filter((delegator) => delegator.status === "active");
      const fees = current.reduce((sum, delegator) => sum + feeOfDelegation(delegator).fee, 0n);
      const capacity = capacityOf(history, staker);
      const whole = weightOf(history.stakers.filter((other) => other.status === "active" && other.subnetId === subnetId));
      return present({
        ...common,
        delegatorCount: current.length,
        amountDelegated: `${weightOf(current)}`,
        stakePercentage: (Number(weight) / Number(whole)) * 100,
        uptimePerformance: 0,
        delegationCapacity: capacity === undefined ? undefined : `${capacity}`,
        potentialRewards: present({
          validationRewardAmount: `${staker.potentialReward}`,
          delegationRewardAmount: `${fees}`,
          rewardAddresses,
        }),
        validatorHealth: {
          reachabilityPercent: 0,
          benchedPChainRequestsPercent: 0,
          benchedXChainRequestsPercent: 0,
          benchedCChainRequestsPercent: 0,
        },
        geolocation: null,
      });
    }
    case "completed": {
      const paid = [staker, ...delegators].flatMap(({ rewards }) => rewards);
      const sumOf = (type: string) => paid.filter((reward) => reward.type === type).reduce((sum, { utxo }) => sum + utxo.amount, 0n);
      return present({
        ...common,
        delegatorCount: delegators.length,
        amountDelegated: `${weightOf(delegators)}`,
        rewards: present({
          validationRewardAmount: `${sumOf("VALIDATOR")}`,
          delegationRewardAmount: `${sumOf("VALIDATOR_FEE")}`,
          rewardAddresses,
          rewardTxHash: leftBy && formatId(leftBy.txId),
        }),
      });
    }
  }
}

export interface DelegatorQuery {
  readonly rewardAddresses?: readonly ShortId[] | undefined;
  readonly nodeIds?: readonly NodeId[] | undefined;
  readonly delegationStatus?: Staker["status"] | undefined;
  readonly sortOrder?: "asc" | "desc" | undefined;
}

export function listDelegators(history: History, { rewardAddresses, nodeIds, delegationStatus, sortOrder }: DelegatorQuery) {
  const found = history.stakers.filter((staker) => {
    if (staker.role !== "delegator") return false;
    if (delegationStatus !== undefined && staker.status !== delegationStatus) return false;
    if (nodeIds !== undefined && !nodeIds.includes(staker.nodeId)) return false;
    return rewardAddresses === undefined || names(staker.rewardsOwner!.addresses, rewardAddresses);
  });
  return ordered(found, byBlock, sortOrder).map((staker) => delegatorJson(history, staker));
}

function names(owner: readonly ShortId[], asked: readonly ShortId[]): boolean {
  return owner.some((address) => asked.includes(address));
}

function delegatorJson(history: History, staker: Staker) {
  const { tx, nodeId, weight, start, end, status, rewardsOwner, validator, isForfeited, potentialReward } = staker;
  const common = {
    txHash: formatId(tx.txId),
    nodeId: formatNodeId(nodeId),
    rewardAddresses: addressesOf(history, rewardsOwner!.addresses),
    amountDelegated: `${weight}`,
    delegationFee: feeText(validator!.shares!),
    startTimestamp: Number(start),
    endTimestamp: Number(end),
    delegationStatus: status,
  };
  const [gross, net] = isForfeited ? [0n, 0n] : [potentialReward, feeOfDelegation(staker).net];
  if (status === "completed") return { ...common, grossReward: `${gross}`, netReward: `${net}` };
  return { ...common, estimatedGrossReward: `${gross}`, estimatedNetReward: `${net}` };
}

export interface RewardQuery {
  readonly addresses?: readonly ShortId[] | undefined;
  readonly nodeIds?: readonly NodeId[] | undefined;
  readonly sortOrder?: "asc" | "desc" | undefined;
}

function isAskedFor(nodeId: NodeId, owner: readonly ShortId[], { addresses, nodeIds }: RewardQuery): boolean {
  return (addresses === undefined || names(owner, addresses)) && (nodeIds === undefined || nodeIds.includes(nodeId));
}

interface Expected {
  readonly staker: Staker;
  readonly type: Reward["type"];
  readonly owner: readonly ShortId[];
  readonly amount: bigint;
  readonly start: bigint;
}

const TYPE_ORDER = ["VALIDATOR", "DELEGATOR", "VALIDATOR_FEE"];

/** What active stakers can expect. */
export function listPendingRewards(history: History, query: RewardQuery, clock: bigint) {
  const expected: Expected[] = [];
  for (const staker of history.stakers) {
    if (staker.status !== "active" || staker.isPermissioned) continue;
    const start = staker.isAutoRenewed ? staker.start : staker.tx.time;
    const owner = staker.rewardsOwner!.addresses;
    if (staker.role === "validator") expected.push({ staker, type: "VALIDATOR", owner, amount: staker.potentialReward, start });
    else {
      const { fee, net } = feeOfDelegation(staker);
      expected.push({ staker, type: "DELEGATOR", owner, amount: net, start });
      if (fee > 0n) expected.push({ staker, type: "VALIDATOR_FEE", owner: staker.validator!.feesOwner!.addresses, amount: fee, start });
    }
  }
  const found = expected.filter(({ staker, owner }) => isAskedFor(staker.nodeId, owner, query));
  const order = compareBy<Expected>(
    ({ start }) => start,
    ({ staker }) => staker.tx.txId,
    ({ type }) => TYPE_ORDER.indexOf(type),
  );
  return ordered(found, order, query.sortOrder).map(({ staker, type, owner, amount, start }) => ({
    addresses: addressesOf(history, owner),
    txHash: formatId(staker.tx.txId),
    amountStaked: `${staker.weight}`,
    nodeId: formatNodeId(staker.nodeId),
    startTimestamp: Number(start),
    endTimestamp: Number(staker.end),
    rewardType: type,
    progress: Math.min(100, Math.max(0, (Number(clock - start) / Number(staker.end - start)) * 100)),
    estimatedReward: assetAmount(history, staker.tx.produced.at(-1)!.assetId, amount),
    stakingType: stakingType(staker),
  }));
}

export function listHistoricalRewards(history: History, query: RewardQuery) {
  const rewards = history.stakers.flatMap(({ rewards }) => rewards);
  const found = rewards.filter(({ staker, utxo }) => isAskedFor(staker.nodeId, utxo.addresses, query));
  const order = compareBy<Reward>(
    ({ utxo }) => utxo.time,
    ({ utxo }) => utxo.utxoId,
  );
  return ordered(found, order, query.sortOrder).map(({ type, utxo, tx, staker, weight, start, end }) => ({
    addresses: addressesOf(history, utxo.addresses),
    txHash: formatId(staker.tx.txId),
    utxoId: formatId(utxo.utxoId),
    outputIndex: utxo.outputIndex,
    amountStaked: `${weight}`,
    nodeId: formatNodeId(staker.nodeId),
    startTimestamp: Number(start),
    endTimestamp: Number(end),
    reward: assetAmount(history, utxo.assetId, utxo.amount),
    rewardType: type,
    rewardTxHash: formatId(tx.txId),
    stakingType: stakingType(staker),
  }));
}

/** Of the primary network (reference 8.11). */
export function networkDetails(history: History) {
  const active = history.stakers.filter(({ status, subnetId }) => status === "active" && subnetId === PRIMARY_NETWORK_ID);
  const validators = active.filter(({ role }) => role === "validator");
  const delegators = active.filter(({ role }) => role === "delegator");
  const supply = history.supplies.get(PRIMARY_NETWORK_ID)!;
  const ratio = (weightOf(active) * 10n ** 20n) / supply;
  return {
    validatorCount: validators.length,
    totalAmountStaked: `${weightOf(validators)}`,
    estimatedAnnualStakingReward: `${active.reduce((sum, { potentialReward }) => sum + potentialReward, 0n)}`,
    stakingRatio: `${ratio / 10n ** 20n}.${`${ratio % 10n ** 20n}`.padStart(20, "0")}`,
    delegatorCount: delegators.length,
    delegated: `${weightOf(delegators)}`,
  };
}
