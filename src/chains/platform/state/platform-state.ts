/**
 * The P-chain's state for transactions and blocks (chain-rules 3): rows of a view, and ordered indexes of stakers, L1 validators and
 * expiries in memory that follow them. `view.rollback` undoes all changes, including those of the indexes. It checks only the rules that
 * keep the state itself consistent.
 */

import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id, NodeId } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { RuleError } from "../../../network/execution.ts";
import type { Departure, ValidatorChange } from "../events.ts";
import {
  type L1ValidatorRow,
  platformExpiries,
  platformL1Validators,
  platformStakers,
  platformStakingInfo,
  type ValidatorMember,
} from "../tables.ts";
import { LedgerState } from "./ledger-state.ts";
import { isCurrent, isValidator, type Staker, stakerOf, stakerRow } from "./staker.ts";
import { type L1Validator, L1ValidatorSet, SortedList, StakerSet } from "./staker-set.ts";
import { INACTIVE_NODE_ID, memberOf, membersOf } from "./validator-members.ts";

export type StakingInfo = TableValue<typeof platformStakingInfo>;

const NO_STAKING_INFO: StakingInfo = {
  delegateeReward: 0n,
  accruedValidationRewards: 0n,
  accruedDelegateeRewards: 0n,
  autoCompoundRewardShares: 0,
  nextPeriod: 0n,
};

export class PlatformState extends LedgerState {
  #current = new StakerSet();
  #pending = new StakerSet();
  #l1 = new L1ValidatorSet();
  #expiries = new SortedList<Expiry>(compareExpiries);

  /** Builds the indexes from the resident rows. */
  override initialize(): void {
    const stakers = [...this.view.rows(platformStakers)].map(({ key, value }) => stakerOf(key.txId, value));
    this.#current = new StakerSet();
    this.#pending = new StakerSet();
    this.#l1 = new L1ValidatorSet();
    this.#expiries = new SortedList(compareExpiries);
    this.#current.fill(stakers.filter(isCurrent));
    this.#pending.fill(stakers.filter((staker) => !isCurrent(staker)));
    this.#l1.fill([...this.view.rows(platformL1Validators)].map(({ key, value }) => ({ ...value, validationId: key.validationId })));
    this.#expiries.fill([...this.view.rows(platformExpiries)].map(({ key }) => key));
    super.initialize();
  }

  // Stakers

  /** In the order in which they leave. */
  get currentStakers(): readonly Staker[] {
    return this.#current.ordered;
  }

  /** In the order in which they become current. */
  get pendingStakers(): readonly Staker[] {
    return this.#pending.ordered;
  }

  currentValidator(subnetId: Id, nodeId: NodeId): Staker | undefined {
    return this.#current.validator(subnetId, nodeId);
  }

  pendingValidator(subnetId: Id, nodeId: NodeId): Staker | undefined {
    return this.#pending.validator(subnetId, nodeId);
  }

  /** The current validator, or else the pending one. */
  validator(subnetId: Id, nodeId: NodeId): Staker | undefined {
    return this.currentValidator(subnetId, nodeId) ?? this.pendingValidator(subnetId, nodeId);
  }

  /** In staker order, like `pendingDelegators`. */
  currentDelegators(subnetId: Id, nodeId: NodeId): readonly Staker[] {
    return this.#current.delegators(subnetId, nodeId);
  }

  pendingDelegators(subnetId: Id, nodeId: NodeId): readonly Staker[] {
    return this.#pending.delegators(subnetId, nodeId);
  }

  /** Weight of the current validator and its current delegators. */
  stakedWeight(subnetId: Id, nodeId: NodeId): bigint {
    return this.#current.node(subnetId, nodeId)?.weight ?? 0n;
  }

  /** Adds a staker to the set that its priority names. A new current validator starts with empty staking info. */
  putStaker(staker: Staker): void {
    this.#addStaker(staker);
    this.event({ kind: "staker-added", staker, isPending: !isCurrent(staker) });
  }

  /** Moves a pending staker to the current set. */
  promoteStaker(pending: Staker, current: Staker): void {
    // remove first: both sets keep a staker's row under the same key, its transaction
    this.#removeStaker(pending);
    this.#addStaker(current);
    this.event({ kind: "staker-promoted", staker: current });
  }

  /** @param departure by default its period has expired */
  deleteStaker(staker: Staker, departure: Departure = { reason: "expired", txId: undefined }): void {
    this.#removeStaker(staker);
    this.event({ kind: "staker-left", staker, ...departure });
  }

  #addStaker(staker: Staker): void {
    const set = this.#setOf(staker);
    const isCurrentStaker = set === this.#current;
    if (isValidator(staker)) this.#enterValidator(staker, isCurrentStaker);
    if (isCurrentStaker) this.#touch(staker.subnetId, staker.nodeId);
    this.view.put(platformStakers, { txId: staker.txId }, stakerRow(staker));
    set.add(staker);
    this.view.onRollback(() => set.remove(staker));
  }

  #removeStaker(staker: Staker): void {
    const set = this.#setOf(staker);
    const isCurrentStaker = set === this.#current;
    if (isCurrentStaker) this.#touch(staker.subnetId, staker.nodeId);
    if (isValidator(staker)) {
      this.changes.leave(memberKey(staker, isCurrentStaker));
      if (isCurrentStaker) this.view.delete(platformStakingInfo, { subnetId: staker.subnetId, nodeId: staker.nodeId });
    }
    this.view.delete(platformStakers, { txId: staker.txId });
    set.remove(staker);
    this.view.onRollback(() => set.add(staker));
  }

  /** Replaces a current validator by its next cycle (chain-rules 12.5). Staking info stays. */
  renewValidator(old: Staker, renewed: Staker, txId: Id): void {
    this.#touch(old.subnetId, old.nodeId);
    this.view.put(platformStakers, { txId: renewed.txId }, stakerRow(renewed));
    const set = this.#current;
    set.remove(old);
    set.add(renewed);
    this.view.onRollback(() => {
      set.remove(renewed);
      set.add(old);
    });
    this.event({ kind: "staker-renewed", before: old, after: renewed, txId });
  }

  stakingInfo(subnetId: Id, nodeId: NodeId): StakingInfo {
    return this.view.get(platformStakingInfo, { subnetId, nodeId }) ?? NO_STAKING_INFO;
  }

  setStakingInfo(subnetId: Id, nodeId: NodeId, changes: Partial<StakingInfo>): void {
    this.view.put(platformStakingInfo, { subnetId, nodeId }, { ...this.stakingInfo(subnetId, nodeId), ...changes });
  }

  // L1 validators

  l1Validator(validationId: Id): L1Validator | undefined {
    const row = this.view.get(platformL1Validators, { validationId });
    return row === undefined ? undefined : { ...row, validationId };
  }

  /** Active validators, in the order in which their balances end. */
  get activeL1Validators(): readonly L1Validator[] {
    return this.#l1.active;
  }

  /** Weight of active and inactive validators. */
  l1TotalWeight(subnetId: Id): bigint {
    return this.#l1.subnet(subnetId)?.totalWeight ?? 0n;
  }

  /**
   * Inserts or replaces an L1 validator, or removes it if the weight is 0.
   * @param txId the transaction that causes this; undefined if the balance is used up
   */
  putL1Validator(validationId: Id, row: L1ValidatorRow, txId?: Id): void {
    const before = this.l1Validator(validationId);
    const after: L1Validator = { ...row, validationId };
    if (before === undefined) this.#checkNewL1Validator(after);
    const total = this.l1TotalWeight(row.subnetId) - (before?.weight ?? 0n) + row.weight;
    if (total > MAX_U64) throw new RuleError("overflow", "overflow", { subnetId: row.subnetId });
    this.#touch(row.subnetId, row.nodeId);
    this.#touch(row.subnetId, INACTIVE_NODE_ID);
    if (row.weight === 0n) this.view.delete(platformL1Validators, { validationId });
    else this.view.put(platformL1Validators, { validationId }, row);
    this.#replaceL1Validator(before, row.weight === 0n ? undefined : after);
    const { accruedFees } = this.scalars;
    this.event({ kind: "l1-validator", validationId, txId, before, after: row.weight === 0n ? undefined : row, accruedFees });
  }

  // Expiries

  /** In order of (timestamp, validationId). */
  get expiries(): readonly Expiry[] {
    return this.#expiries.items;
  }

  hasExpiry(expiry: Expiry): boolean {
    return this.view.get(platformExpiries, expiry) !== undefined;
  }

  putExpiry(expiry: Expiry): void {
    if (this.hasExpiry(expiry)) return;
    this.view.put(platformExpiries, expiry, {});
    this.#expiries.add(expiry);
    this.view.onRollback(() => this.#expiries.remove(expiry));
  }

  deleteExpiry(expiry: Expiry): void {
    this.view.delete(platformExpiries, expiry);
    this.#expiries.remove(expiry);
    this.view.onRollback(() => this.#expiries.add(expiry));
  }

  // Validator sets (chain-rules 13)

  /** A member of a subnet's current validator set; INACTIVE_NODE_ID stands for all inactive L1 validators together. */
  member(subnetId: Id, nodeId: NodeId): ValidatorMember | undefined {
    return memberOf({ current: this.#current, l1: this.#l1 }, subnetId, nodeId);
  }

  /** A subnet's current validator set. */
  members(subnetId: Id): Iterable<[NodeId, ValidatorMember]> {
    return membersOf({ current: this.#current, l1: this.#l1 }, subnetId);
  }

  /** The members that the block being executed has changed so far. */
  validatorChanges(): ValidatorChange[] {
    const changes: ValidatorChange[] = [];
    for (const { subnetId, nodeId, before } of this.changes.touched.values()) {
      const after = this.member(subnetId, nodeId);
      if (before?.weight !== after?.weight || before?.publicKey !== after?.publicKey) changes.push({ subnetId, nodeId, before, after });
    }
    return changes;
  }

  #touch(subnetId: Id, nodeId: NodeId): void {
    this.changes.touch(subnetId, nodeId, () => this.member(subnetId, nodeId));
  }

  #setOf(staker: Staker): StakerSet {
    return isCurrent(staker) ? this.#current : this.#pending;
  }

  #enterValidator(staker: Staker, isCurrentStaker: boolean): void {
    const { subnetId, nodeId } = staker;
    const key = memberKey(staker, isCurrentStaker);
    const prefix = isCurrentStaker ? "putting validator: " : "";
    if (isCurrentStaker && this.currentValidator(subnetId, nodeId) !== undefined) {
      throw new RuleError("unexpected-staker", `unexpected staker: ${formatNodeId(nodeId)}`, { subnetId, nodeId });
    }
    if (this.changes.hasLeft(key) && !this.isActive("helicon")) {
      throw new RuleError("staker-after-deletion", `${prefix}attempted to add a staker after deleting it`, { subnetId, nodeId });
    }
    this.changes.enter(key);
    if (isCurrentStaker) this.view.put(platformStakingInfo, { subnetId, nodeId }, NO_STAKING_INFO);
  }

  #checkNewL1Validator({ subnetId, nodeId }: L1Validator): void {
    const text = (problem: string) => `L1 validator contains ${problem} subnetID + nodeID pair`;
    if (this.currentValidator(subnetId, nodeId) !== undefined) {
      throw new RuleError("conflicting-l1-validator", text("conflicting"), { subnetId, nodeId });
    }
    if (this.#l1.ofNode(subnetId, nodeId) !== undefined) {
      throw new RuleError("duplicate-l1-validator", text("duplicate"), { subnetId, nodeId });
    }
  }

  #replaceL1Validator(before: L1Validator | undefined, after: L1Validator | undefined): void {
    const set = this.#l1;
    if (before !== undefined) set.remove(before);
    if (after !== undefined) set.add(after);
    this.view.onRollback(() => {
      if (after !== undefined) set.remove(after);
      if (before !== undefined) set.add(before);
    });
  }
}

function memberKey({ subnetId, nodeId }: Staker, isCurrentStaker: boolean): string {
  return `${isCurrentStaker ? "current" : "pending"}${subnetId}${nodeId}`;
}

interface Expiry {
  readonly timestamp: bigint;
  readonly validationId: Id;
}

/** Used L1 registrations, in order of expiry (chain-rules 3). */
function compareExpiries(a: Expiry, b: Expiry): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  if (a.validationId === b.validationId) return 0;
  return a.validationId < b.validationId ? -1 : 1;
}
