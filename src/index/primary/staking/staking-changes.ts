/**
 * Applies the events of one block to the rows of stakers and rewards. Use one instance per facts: call `apply` for each event, then
 * `finish`.
 */

import { type Id, type NodeId, PRIMARY_NETWORK_ID, type ShortId } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { View } from "../../../base/table/view.ts";
import type { Departure, RewardEvent, StakerEvent } from "../../../chains/platform/events.ts";
import type { PlatformEvent, PlatformFacts } from "../../../chains/platform/facts.ts";
import { unlockedOutput } from "../../../chains/platform/output.ts";
import { decodeUtxo } from "../../../chains/platform/state/ledger-state.ts";
import { isValidator, type Staker } from "../../../chains/platform/state/staker.ts";
import { stakingPlaces } from "../transactions/transaction-tables.ts";
import { delegationOf, newDelegation, putDelegation, shareOf } from "./delegation-rows.ts";
import { delegationEntries, deletePending, ownEntry, putPaid, putPending } from "./reward-rows.ts";
import { stakingListScope } from "./staking-scope.ts";
import {
  ACTIVE,
  CHANGES_KEPT,
  COMPLETED,
  currentValidations,
  DELEGATOR,
  type Delegation,
  knownNodes,
  nodeSequences,
  type StakingTotals,
  stakingLists,
  stakingTotals,
  VALIDATOR,
  VALIDATOR_FEE,
  type Validation,
  validationChanges,
  validations,
} from "./staking-tables.ts";
import { NO_STAKING } from "./validation-reader.ts";
import { currentValidationOf, listPastValidation, newValidation, rewardStart, statusAfter, validationOf } from "./validation-rows.ts";

/** Where a staking transaction is in the chain, and whose UTXOs it names. */
interface Listing {
  readonly timestamp: bigint;
  readonly height: bigint;
  readonly addresses: ShortId[];
}

/** Returns those of a staking transaction of the block. */
export type ListingOf = (txId: Id) => Listing;

const REWARD_TYPES = { VALIDATOR, DELEGATOR, VALIDATOR_FEE };

export class StakingChanges {
  readonly #view: View;
  readonly #timestamp: bigint;
  readonly #listingOf: ListingOf;
  readonly #totalsBefore: StakingTotals;
  #totals: StakingTotals;
  /** validations whose record changed */
  readonly #touched = new Set<Id>();

  constructor(view: View, { timestamp }: Pick<PlatformFacts, "timestamp">, listingOf: ListingOf) {
    this.#view = view;
    this.#timestamp = timestamp;
    this.#listingOf = listingOf;
    this.#totalsBefore = view.get(stakingTotals, { slot: 0 }) ?? NO_STAKING;
    this.#totals = this.#totalsBefore;
  }

  apply(event: PlatformEvent): void {
    switch (event.kind) {
      case "staker-added":
        this.#add(event);
        break;
      case "staker-promoted":
        if (isValidator(event.staker)) this.#promoteValidator(event.staker);
        else this.#promoteDelegator(event.staker);
        break;
      case "staker-renewed":
        this.#renew(event);
        break;
      case "staker-left":
        unlistStaking(this.#view, event.staker.txId);
        if (isValidator(event.staker)) this.#endValidation(event.staker, event);
        else this.#endDelegation(event.staker, event);
        break;
      case "reward":
        this.#pay(event);
        break;
    }
  }

  /** Writes what all events changed. */
  finish(): void {
    if (this.#touched.size > 0) {
      const number = this.#totals.changeCount;
      this.#view.put(validationChanges, { slot: Number(number % BigInt(CHANGES_KEPT)) }, { number, txIds: [...this.#touched] });
      this.#totals = { ...this.#totals, changeCount: number + 1n };
    }
    if (this.#totals !== this.#totalsBefore) this.#view.put(stakingTotals, { slot: 0 }, this.#totals);
  }

  #add({ staker, isPending }: Extract<StakerEvent, { kind: "staker-added" }>): void {
    const { txId, subnetId, nodeId } = staker;
    const { height, timestamp, addresses } = this.#listingOf(txId);
    const place = { isPending, height, timestamp };
    listStaking(this.#view, txId, addresses);
    if (isValidator(staker)) {
      const validation = newValidation(staker, place);
      this.#putValidation(txId, validation);
      this.#view.put(currentValidations, { subnetId, nodeId }, { txId });
      this.#learnNode(nodeId);
      if (!isPending) this.#activateValidator(txId, validation);
    } else {
      const validation = currentValidationOf(this.#view, staker);
      const { shares } = validationOf(this.#view, validation).terms!;
      const delegation = newDelegation(staker, { ...place, validation, shares });
      putDelegation(this.#view, txId, delegation);
      if (!isPending) this.#activateDelegator(txId, delegation);
    }
  }

  #promoteValidator({ txId, potentialReward }: Staker): void {
    const validation = { ...validationOf(this.#view, txId), status: ACTIVE, potentialReward };
    this.#putValidation(txId, validation);
    this.#activateValidator(txId, validation);
  }

  #promoteDelegator({ txId, potentialReward }: Staker): void {
    const before = delegationOf(this.#view, txId);
    const delegation = { ...before, status: ACTIVE, reward: potentialReward };
    putDelegation(this.#view, txId, delegation, before);
    this.#activateDelegator(txId, delegation);
  }

  #activateValidator(txId: Id, validation: Validation): void {
    putPending(this.#view, ownEntry(txId, validation));
    this.#countValidator(validation, 1);
  }

  #activateDelegator(txId: Id, delegation: Delegation): void {
    const validation = this.#delegate(delegation, 1);
    putPending(this.#view, delegationEntries(txId, delegation, validation));
  }

  #renew({ before: { txId }, after }: Extract<StakerEvent, { kind: "staker-renewed" }>): void {
    const before = validationOf(this.#view, txId);
    const { weight, startTime: start, endTime: end, potentialReward } = after;
    const validation = { ...before, weight, start, end, potentialReward };
    deletePending(this.#view, ownEntry(txId, before));
    this.#countValidator(before, -1);
    this.#putValidation(txId, validation);
    this.#activateValidator(txId, validation);
  }

  #endValidation({ txId, subnetId, nodeId }: Staker, { reason, txId: by }: Departure): void {
    const before = validationOf(this.#view, txId);
    const validation = { ...before, status: statusAfter(reason), left: { txId: by, timestamp: this.#timestamp } };
    this.#putValidation(txId, validation);
    this.#view.delete(currentValidations, { subnetId, nodeId });
    listPastValidation(this.#view, txId, validation);
    if (before.status !== ACTIVE) return;
    deletePending(this.#view, ownEntry(txId, before));
    this.#countValidator(before, -1);
  }

  #endDelegation({ txId }: Staker, { reason, txId: rewardTxId }: Departure): void {
    const before = delegationOf(this.#view, txId);
    const reward = reason === "rewarded" ? before.reward : 0n;
    putDelegation(this.#view, txId, { ...before, status: COMPLETED, reward, rewardTxId }, before);
    if (before.status !== ACTIVE) return;
    const validation = this.#delegate(before, -1);
    deletePending(this.#view, delegationEntries(txId, before, validation));
  }

  #pay({ rewardType, txId: rewardTxId, staker, owner, utxo: { utxoId, bytes } }: RewardEvent): void {
    const { outputIndex, assetId, output } = decodeUtxo(bytes);
    const { amount } = unlockedOutput(output);
    const isOfValidator = isValidator(staker);
    const delegation = isOfValidator ? undefined : delegationOf(this.#view, staker.txId);
    const validationTxId = delegation?.validation ?? staker.txId;
    const validation = validationOf(this.#view, validationTxId);
    const paid = {
      type: REWARD_TYPES[rewardType],
      ...{ stakingTxId: staker.txId, rewardTxId, outputIndex, assetId, amount, owner: owner.addresses },
      ...{ nodeId: staker.nodeId, weight: staker.weight, start: delegation?.timestamp ?? rewardStart(validation), end: staker.endTime },
      isAutoRenewed: isOfValidator && validation.isAutoRenewed,
    };
    putPaid(this.#view, utxoId, paid, this.#timestamp);
    if (rewardType === "DELEGATOR") return;
    const { validation: own, delegation: fees } = validation.rewards;
    const rewards =
      rewardType === "VALIDATOR" ? { validation: own + amount, delegation: fees } : { validation: own, delegation: fees + amount };
    this.#putValidation(validationTxId, { ...validation, rewards });
  }

  /** Adds a delegation to its validator (1) or removes it (−1); returns the validator's new record. */
  #delegate(delegation: Delegation, sign: 1 | -1): Validation {
    const { validation: txId, weight, subnetId, reward } = delegation;
    const before = validationOf(this.#view, txId);
    const { delegators, everDelegated } = before;
    const count = delegators.count + sign;
    const change = BigInt(sign);
    const validation = {
      ...before,
      delegators: { count, weight: delegators.weight + change * weight, fees: delegators.fees + change * shareOf(delegation).fee },
      ...(sign === 1 && { everDelegated: { count: everDelegated.count + 1, weight: everDelegated.weight + weight } }),
    };
    this.#putValidation(txId, validation);
    if (subnetId === PRIMARY_NETWORK_ID) {
      const { delegatorCount, delegatorStake, potentialRewards } = this.#totals;
      this.#totals = {
        ...this.#totals,
        delegatorCount: delegatorCount + sign,
        delegatorStake: delegatorStake + change * weight,
        potentialRewards: potentialRewards + change * reward,
      };
    }
    return validation;
  }

  #countValidator({ subnetId, weight, potentialReward }: Validation, sign: 1 | -1): void {
    if (subnetId !== PRIMARY_NETWORK_ID) return;
    const { validatorCount, validatorStake, potentialRewards } = this.#totals;
    const change = BigInt(sign);
    this.#totals = {
      ...this.#totals,
      validatorCount: validatorCount + sign,
      validatorStake: validatorStake + change * weight,
      potentialRewards: potentialRewards + change * potentialReward,
    };
  }

  #putValidation(txId: Id, validation: Validation): void {
    this.#view.put(validations, { txId }, validation);
    this.#touched.add(txId);
  }

  #learnNode(nodeId: NodeId): void {
    if (this.#view.get(nodeSequences, { nodeId }) !== undefined) return;
    const { nodeCount: sequence } = this.#totals;
    this.#view.put(nodeSequences, { nodeId }, { sequence });
    this.#view.put(knownNodes, { sequence }, { nodeId });
    this.#totals = { ...this.#totals, nodeCount: sequence + 1 };
  }
}

// Rows of staking transactions whose staker is active or pending.

type StakingPlace = TableValue<typeof stakingPlaces>;

/** @param addresses those of the transaction's UTXOs */
export function listStaking(view: View, txId: Id, addresses: ShortId[]): void {
  const place = placeOf(view, txId);
  view.put(stakingPlaces, { txId }, { ...place, listedUnder: addresses });
  for (const key of keysOf(place, addresses)) view.put(stakingLists, key, {});
}

function unlistStaking(view: View, txId: Id): void {
  const place = view.get(stakingPlaces, { txId });
  if (place?.listedUnder === undefined) return;
  view.put(stakingPlaces, { txId }, { ...place, listedUnder: undefined });
  for (const key of keysOf(place, place.listedUnder)) view.delete(stakingLists, key);
}

/** The transaction's own projection writes the row first. */
function placeOf(view: View, txId: Id): StakingPlace {
  const place = view.get(stakingPlaces, { txId });
  if (place === undefined) throw new Error(`the staking transaction ${txId} has no place in the lists of transactions`);
  return place;
}

function keysOf({ class: type, timestamp, ordinal }: StakingPlace, addresses: readonly ShortId[]) {
  const scopes = [stakingListScope(type), ...addresses.map((address) => stakingListScope(type, address))];
  return scopes.map((scope) => ({ scope, timestamp, ordinal }));
}
