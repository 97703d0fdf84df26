/** Stakers of the P-chain from start to end, and their rewards (chain-rules 6, 11, 12). */

import { type Id, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import type { OutputOwners } from "../../../../src/chains/platform/owner.ts";
import { primaryRewardParameters, reward, splitReward } from "../../../../src/chains/platform/rewards.ts";
import type { UnsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { toNodeId } from "../../../../src/chains/platform/warp/l1-messages.ts";
import { isActive } from "../../../../src/network/network.ts";
import type { HappenedTx, History, RewardType, Staker, Utxo } from "./history.ts";

type Of<K extends UnsignedTx["kind"]> = Extract<UnsignedTx, { kind: K }>;
type StakingTx = Of<
  | "AddValidatorTx"
  | "AddDelegatorTx"
  | "AddSubnetValidatorTx"
  | "AddPermissionlessValidatorTx"
  | "AddPermissionlessDelegatorTx"
  | "AddAutoRenewedValidatorTx"
>;

const NO_RENEWAL = { nextPeriod: 0n, restakedShares: 0, validation: 0n, fees: 0n };

export class Stakers {
  readonly #history: History;

  constructor(history: History) {
    this.#history = history;
  }

  /** Pending until Durango, current at once from then on and in the genesis. */
  enter(tx: HappenedTx, unsigned: StakingTx, stake: readonly Utxo[], { isGenesis }: { isGenesis: boolean }): void {
    const { network, stakers } = this.#history;
    const isCurrent = isGenesis || isActive(network, "durango", tx.time);
    const period =
      unsigned.kind === "AddAutoRenewedValidatorTx"
        ? { nodeId: toNodeId(unsigned.nodeId), start: tx.time, end: tx.time + unsigned.period, weight: sum(stake) }
        : unsigned.validator;
    const isAutoRenewed = unsigned.kind === "AddAutoRenewedValidatorTx";
    const staker: Staker = {
      tx,
      role: unsigned.kind === "AddDelegatorTx" || unsigned.kind === "AddPermissionlessDelegatorTx" ? "delegator" : "validator",
      isPermissioned: unsigned.kind === "AddSubnetValidatorTx",
      isAutoRenewed,
      nodeId: period.nodeId,
      subnetId: subnetOf(unsigned),
      weight: period.weight,
      start: isCurrent && !isGenesis ? tx.time : period.start,
      end: period.end,
      potentialReward: 0n,
      ...terms(unsigned),
      signer: "signer" in unsigned && unsigned.signer.kind === "ProofOfPossession" ? unsigned.signer : undefined,
      status: "pending",
      owedFees: 0n,
      renewal: isAutoRenewed
        ? { ...NO_RENEWAL, nextPeriod: unsigned.period, restakedShares: unsigned.autoCompoundRewardShares }
        : { ...NO_RENEWAL },
      rewards: [],
    };
    tx.staker = staker;
    for (const utxo of stake) utxo.staker = staker;
    stakers.push(staker);
    if (staker.role === "delegator") staker.validator = this.#validatorOf(staker);
    if (isCurrent) this.#activate(staker, tx.time);
  }

  /** Pending stakers whose start has come become current; permissioned ones whose end has come leave. */
  advanceTime(time: bigint): void {
    const due = this.#history.stakers.filter(({ status, start }) => status === "pending" && start <= time);
    const isOver = (staker: Staker) => staker.status === "active" && staker.isPermissioned && staker.end <= time;
    const leaving = this.#history.stakers.filter(isOver);
    for (const staker of due.sort(inPendingOrder)) this.#activate(staker, time);
    for (const staker of leaving) this.#leave(staker, "completed", time);
  }

  remove(tx: HappenedTx, { nodeId, subnetId }: Of<"RemoveSubnetValidatorTx">): void {
    const isMeant = (staker: Staker) => staker.nodeId === nodeId && staker.subnetId === subnetId && isThere(staker);
    const staker = this.#history.stakers.find((staker) => staker.role === "validator" && isMeant(staker))!;
    this.#leave(staker, "removed", tx.time, tx);
  }

  configure(tx: HappenedTx, { txId, period, autoCompoundRewardShares }: Of<"SetAutoRenewedValidatorConfigTx">): void {
    const staker = this.#history.stakers.find((staker) => staker.tx.txId === txId)!;
    staker.renewal = { ...staker.renewal, nextPeriod: period, restakedShares: autoCompoundRewardShares };
    tx.staker = staker;
  }

  /** Ends a period. */
  reward(tx: HappenedTx, stakingTxId: Id, { isCommitted }: { isCommitted: boolean }): void {
    const staker = this.#history.stakers.find((staker) => staker.tx.txId === stakingTxId)!;
    tx.staker = staker;
    staker.isForfeited = !isCommitted;
    if (!isCommitted) this.#addToSupply(staker.subnetId, -staker.potentialReward);
    if (staker.isAutoRenewed) this.#endCycle(tx, staker, isCommitted);
    else {
      if (staker.role === "delegator") this.#rewardDelegator(tx, staker, isCommitted);
      else {
        if (isCommitted) this.#pay(tx, staker, "VALIDATOR", staker.potentialReward, staker.rewardsOwner!);
        this.#pay(tx, staker, "VALIDATOR_FEE", staker.owedFees, staker.feesOwner!);
      }
      this.#leave(staker, "completed", tx.time, tx);
    }
  }

  /** The validator's part waits for the end of its own period; before Cortina it was paid at once. */
  #rewardDelegator(tx: HappenedTx, staker: Staker, isCommitted: boolean): void {
    if (!isCommitted) return;
    const validator = staker.validator!;
    const { shared, rest } = splitReward(staker.potentialReward, validator.shares!);
    this.#pay(tx, staker, "DELEGATOR", rest, staker.rewardsOwner!);
    if (isActive(this.#history.network, "cortina", validator.start)) validator.owedFees += shared;
    else this.#pay(tx, staker, "VALIDATOR_FEE", shared, validator.feesOwner!);
  }

  #endCycle(tx: HappenedTx, staker: Staker, isCommitted: boolean): void {
    const { renewal, potentialReward, owedFees } = staker;
    if (!isCommitted || renewal.nextPeriod === 0n) {
      this.#pay(tx, staker, "VALIDATOR", renewal.validation + (isCommitted ? potentialReward : 0n), staker.rewardsOwner!);
      this.#pay(tx, staker, "VALIDATOR_FEE", renewal.fees + owedFees, staker.feesOwner!);
      this.#leave(staker, "completed", tx.time, tx);
      return;
    }
    let validation = splitReward(potentialReward, renewal.restakedShares).shared;
    let fees = splitReward(owedFees, renewal.restakedShares).shared;
    const room = this.#history.network.staking.maxValidatorStake - staker.weight;
    if (validation + fees > room) {
      validation = (validation * room) / (validation + fees);
      fees = room - validation;
    }
    this.#pay(tx, staker, "VALIDATOR", potentialReward - validation, staker.rewardsOwner!);
    this.#pay(tx, staker, "VALIDATOR_FEE", owedFees - fees, staker.feesOwner!);
    staker.weight += validation + fees;
    staker.start = staker.end;
    staker.end += renewal.nextPeriod;
    staker.owedFees = 0n;
    staker.renewal = { ...renewal, validation: renewal.validation + validation, fees: renewal.fees + fees };
    this.#promiseReward(staker);
  }

  /** A reward is an output of the staking transaction, behind its stake; of an auto-renewed validator it is one of the reward transaction. */
  #pay(tx: HappenedTx, staker: Staker, type: RewardType, amount: bigint, { locktime, threshold, addresses }: OutputOwners): void {
    if (amount === 0n) return;
    const origin = staker.isAutoRenewed ? tx : staker.tx;
    const outputIndex = origin.produced.length + this.#history.rewards.filter(({ txId }) => txId === origin.txId).length;
    const assetId = staker.tx.produced.at(-1)!.assetId;
    const output = { kind: "TransferOutput", amount, locktime, threshold, addresses };
    const { height, time } = tx;
    const place = { createdOn: "P", consumedOn: "P", height, time, reward: type } as const;
    const utxo = this.#history.addUtxo({ txId: origin.txId, outputIndex, assetId, output }, place);
    tx.paid.push(utxo);
    const { weight, end, isAutoRenewed } = staker;
    staker.rewards.push({ type, utxo, tx, staker, weight, end, start: isAutoRenewed ? staker.start : staker.tx.time });
  }

  #activate(staker: Staker, time: bigint): void {
    staker.status = "active";
    staker.activeFrom = time;
    if (!staker.isPermissioned) this.#promiseReward(staker);
  }

  /** The reward is part of the supply from the beginning of the period on. */
  #promiseReward(staker: Staker): void {
    const { network, supplies } = this.#history;
    const { subnetId, start, end, weight } = staker;
    const { mintingPeriod } = network.staking;
    const subnet = this.#history.transformations.get(subnetId);
    const parameters = subnet ? { ...subnet, supplyCap: subnet.maximumSupply, mintingPeriod } : primaryRewardParameters(network, start);
    staker.potentialReward = reward(parameters, { duration: end - start, weight, supply: supplies.get(subnetId)! });
    this.#addToSupply(subnetId, staker.potentialReward);
  }

  #addToSupply(subnetId: Id, amount: bigint): void {
    const { supplies } = this.#history;
    supplies.set(subnetId, BigInt.asUintN(64, supplies.get(subnetId)! + amount));
  }

  #leave(staker: Staker, status: "completed" | "removed", time: bigint, tx?: HappenedTx): void {
    staker.status = status;
    staker.leftAt = time;
    if (tx !== undefined) staker.leftBy = tx;
  }

  #validatorOf({ nodeId, subnetId }: Staker): Staker {
    const isMeant = (other: Staker) => other.role === "validator" && other.nodeId === nodeId && other.subnetId === subnetId;
    return this.#history.stakers.find((other) => isMeant(other) && isThere(other))!;
  }
}

export function isThere({ status }: Staker): boolean {
  return status === "pending" || status === "active";
}

/** By start; at one time elastic delegators, … (chain-rules 3.1): the order only matters for the supply that rewards are computed with. */
function inPendingOrder(a: Staker, b: Staker): number {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1;
  if (priority(a) !== priority(b)) return priority(a) - priority(b);
  return a.tx.txId < b.tx.txId ? -1 : 1;
}

function priority({ tx, role, subnetId, isPermissioned }: Staker): number {
  if (tx.type === "AddDelegatorTx") return 1;
  if (isPermissioned) return 6;
  if (subnetId === PRIMARY_NETWORK_ID) return role === "validator" ? 2 : 3;
  return role === "validator" ? 4 : 5;
}

function subnetOf(unsigned: StakingTx): Id {
  if (unsigned.kind === "AddSubnetValidatorTx") return unsigned.validator.subnetId;
  return "subnetId" in unsigned ? unsigned.subnetId : PRIMARY_NETWORK_ID;
}

function terms(unsigned: StakingTx): Pick<Staker, "shares" | "rewardsOwner" | "feesOwner"> {
  switch (unsigned.kind) {
    case "AddSubnetValidatorTx":
      return { shares: undefined, rewardsOwner: undefined, feesOwner: undefined };
    case "AddDelegatorTx":
    case "AddPermissionlessDelegatorTx":
      return { shares: undefined, rewardsOwner: unsigned.rewardsOwner, feesOwner: undefined };
    case "AddValidatorTx":
      return { shares: unsigned.shares, rewardsOwner: unsigned.rewardsOwner, feesOwner: unsigned.rewardsOwner };
    default: {
      const { validationRewardsOwner: rewardsOwner, delegationRewardsOwner: feesOwner } = unsigned;
      return { shares: "shares" in unsigned ? unsigned.shares : unsigned.delegationShares, rewardsOwner, feesOwner };
    }
  }
}

function sum(utxos: readonly Utxo[]): bigint {
  return utxos.reduce((total, { amount }) => total + amount, 0n);
}
