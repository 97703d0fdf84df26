/**
 * The P-chain's state as transactions and blocks see it (chain-rules 3): rows of a view, and ordered indexes in memory that follow them.
 * All changes are undone by `view.rollback`, indexes included. It checks no rules but those that keep the state itself sound.
 */
import { SharedMemory } from "../../atomic/shared-memory.ts";
import { RuleError } from "../../network/execution.ts";
import { isActive, type NetworkInstance, type UpgradeName } from "../../network/network.ts";
import { MAX_U64 } from "../../primitives/amount.ts";
import type { Id, NodeId } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import type { TableValue } from "../../primitives/table.ts";
import { utxoId as idOfUtxo } from "../../primitives/utxo-id.ts";
import { utxoRank } from "../../primitives/utxo-rank.ts";
import type { View } from "../../primitives/view.ts";
import type { Departure, PlatformEvent, RewardEvent, ValidatorChange } from "../facts.ts";
import { outputAddresses, type Utxo } from "../output.ts";
import {
  type L1ValidatorRow,
  platformChain,
  platformChains,
  platformExpiries,
  platformL1Validators,
  platformRewardUtxos,
  platformStakers,
  platformStakingInfo,
  platformSubnets,
  platformSupplies,
  platformTxs,
  platformUtxos,
  type SubnetRow,
  type ValidatorMember,
} from "../tables.ts";
import { BlockChanges } from "./block-changes.ts";
import { compareExpiries, type Expiry } from "./expiry.ts";
import { type L1Validator, L1ValidatorSet } from "./l1-validator-set.ts";
import { SortedList } from "./sorted-list.ts";
import { isCurrent, isValidator, type Staker, stakerOf, stakerRow } from "./staker.ts";
import { StakerSet } from "./staker-set.ts";
import { decodeUtxo, encodeUtxo } from "./utxo-bytes.ts";
import { INACTIVE_NODE_ID, memberOf, membersOf } from "./validator-members.ts";

export type Scalars = TableValue<typeof platformChain>;
export type StakingInfo = TableValue<typeof platformStakingInfo>;
export type ChainRow = TableValue<typeof platformChains>;
export type TxRow = TableValue<typeof platformTxs>;
type Owner = SubnetRow["owner"];

const SCALARS = { slot: 0 };
const CODEC_VERSION = Buffer.alloc(2);
const NO_STAKING_INFO: StakingInfo = {
  delegateeReward: 0n,
  accruedValidationRewards: 0n,
  accruedDelegateeRewards: 0n,
  autoCompoundRewardShares: 0,
  nextPeriod: 0n,
};

export class PlatformState {
  readonly network: NetworkInstance;
  readonly view: View;
  readonly sharedMemory: SharedMemory;
  /** The block in execution. */
  changes: BlockChanges;
  #current = new StakerSet();
  #pending = new StakerSet();
  #l1 = new L1ValidatorSet();
  #expiries = new SortedList<Expiry>(compareExpiries);
  #subnetCount = 0n;
  #chainCount = 0n;

  constructor(network: NetworkInstance, view: View) {
    this.network = network;
    this.view = view;
    this.sharedMemory = new SharedMemory(view);
    this.changes = new BlockChanges(view);
  }

  /** Builds the indexes from the resident rows. */
  initialize(): void {
    const stakers = [...this.view.rows(platformStakers)].map(({ key, value }) => stakerOf(key.txId, value));
    this.#current = new StakerSet();
    this.#pending = new StakerSet();
    this.#l1 = new L1ValidatorSet();
    this.#expiries = new SortedList(compareExpiries);
    this.#current.fill(stakers.filter(isCurrent));
    this.#pending.fill(stakers.filter((staker) => !isCurrent(staker)));
    this.#l1.fill([...this.view.rows(platformL1Validators)].map(({ key, value }) => ({ ...value, validationId: key.validationId })));
    this.#expiries.fill([...this.view.rows(platformExpiries)].map(({ key }) => key));
    this.#subnetCount = BigInt([...this.view.rows(platformSubnets)].length);
    this.#chainCount = BigInt([...this.view.rows(platformChains)].length);
    this.beginBlock();
  }

  /** Forgets what was recorded for the block before. */
  beginBlock(): void {
    this.changes = new BlockChanges(this.view);
  }

  // Scalars

  get scalars(): Scalars {
    return this.view.get(platformChain, SCALARS)!;
  }

  setScalars(changes: Partial<Scalars>): void {
    this.view.put(platformChain, SCALARS, { ...this.scalars, ...changes });
  }

  /** False before genesis. */
  get isInitialized(): boolean {
    return this.view.get(platformChain, SCALARS) !== undefined;
  }

  createScalars(scalars: Scalars): void {
    this.view.put(platformChain, SCALARS, scalars);
  }

  /** Chain time, Unix seconds. */
  get timestamp(): bigint {
    return this.scalars.timestamp;
  }

  /** Whether an upgrade is active at chain time. */
  isActive(upgrade: UpgradeName): boolean {
    return isActive(this.network, upgrade, this.timestamp);
  }

  supply(subnetId: Id): bigint {
    const row = this.view.get(platformSupplies, { subnetId });
    if (row === undefined) throw new RuleError("not-found", "not found", { subnetId });
    return row.supply;
  }

  setSupply(subnetId: Id, supply: bigint): void {
    this.view.put(platformSupplies, { subnetId }, { supply });
  }

  // UTXOs and transactions

  utxo(utxoId: Id): Utxo | undefined {
    const row = this.view.get(platformUtxos, { utxoId });
    return row === undefined ? undefined : decodeUtxo(row.bytes);
  }

  /** Creates a UTXO on this chain. */
  produceUtxo(utxo: Utxo): Id {
    const utxoId = idOfUtxo(utxo.txId, utxo.outputIndex);
    const bytes = encodeUtxo(utxo);
    const rank = utxoRank(this.isInitialized ? this.scalars.height + 1n : 0n);
    this.view.put(platformUtxos, { utxoId }, { bytes, rank });
    this.changes.record(this.changes.produced, { utxoId, bytes, addresses: outputAddresses(utxo.output), rank });
    return utxoId;
  }

  /** Removes a UTXO. One that is not there is no error: at level `replay` the flow check may not have looked. */
  consumeUtxo(utxoId: Id): void {
    const row = this.view.get(platformUtxos, { utxoId });
    if (row === undefined) return;
    this.view.delete(platformUtxos, { utxoId });
    const addresses = outputAddresses(decodeUtxo(row.bytes).output);
    this.changes.record(this.changes.consumed, { utxoId, addresses, rank: row.rank });
  }

  /** Creates a reward UTXO and lists it under a transaction; `index` counts that transaction's rewards. */
  addRewardUtxo(txId: Id, index: number, utxo: Utxo, paid: Pick<RewardEvent, "rewardType" | "txId" | "staker" | "owner">): void {
    this.produceUtxo(utxo);
    this.view.put(platformRewardUtxos, { txId, index }, { bytes: encodeUtxo(utxo) });
    this.#event({ kind: "reward", ...paid, utxo: this.changes.produced.at(-1)! });
  }

  tx(txId: Id): TxRow | undefined {
    return this.view.get(platformTxs, { txId });
  }

  putTx(txId: Id, row: TxRow): void {
    this.view.put(platformTxs, { txId }, row);
  }

  // Shared memory: effects are applied when the block is accepted

  /** Takes UTXOs that another chain exported. */
  importUtxos(sourceChain: Id, utxoIds: readonly Id[]): void {
    this.changes.record(this.changes.imports, { sourceChain, utxoIds });
  }

  /** Hands UTXOs to another chain. They are no UTXOs of this one. */
  exportUtxos(destinationChain: Id, utxos: readonly Utxo[]): void {
    const elements = utxos.map((utxo) => ({
      key: idOfUtxo(utxo.txId, utxo.outputIndex),
      bytes: Buffer.concat([CODEC_VERSION, encodeUtxo(utxo)]),
      traits: outputAddresses(utxo.output),
    }));
    this.changes.record(this.changes.exports, { destinationChain, elements });
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

  /** The current validator, else the pending one. */
  validator(subnetId: Id, nodeId: NodeId): Staker | undefined {
    return this.currentValidator(subnetId, nodeId) ?? this.pendingValidator(subnetId, nodeId);
  }

  /** In staker order, as `pendingDelegators`. */
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
    this.#event({ kind: "staker-added", staker, isPending: !isCurrent(staker) });
  }

  /** Moves a pending staker to the current set. */
  promoteStaker(pending: Staker, current: Staker): void {
    // in this order: both sets keep a staker's row under its transaction
    this.#removeStaker(pending);
    this.#addStaker(current);
    this.#event({ kind: "staker-promoted", staker: current });
  }

  /** @param departure by default its time is over */
  deleteStaker(staker: Staker, departure: Departure = { reason: "expired", txId: undefined }): void {
    this.#removeStaker(staker);
    this.#event({ kind: "staker-left", staker, ...departure });
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
    this.#event({ kind: "staker-renewed", before: old, after: renewed, txId });
  }

  stakingInfo(subnetId: Id, nodeId: NodeId): StakingInfo {
    return this.view.get(platformStakingInfo, { subnetId, nodeId }) ?? NO_STAKING_INFO;
  }

  setStakingInfo(subnetId: Id, nodeId: NodeId, changes: Partial<StakingInfo>): void {
    this.view.put(platformStakingInfo, { subnetId, nodeId }, { ...this.stakingInfo(subnetId, nodeId), ...changes });
  }

  // Subnets and chains

  subnet(subnetId: Id): SubnetRow | undefined {
    return this.view.get(platformSubnets, { subnetId });
  }

  addSubnet(subnetId: Id, owner: Owner): void {
    const sequence = this.#subnetCount++;
    this.view.onRollback(() => {
      this.#subnetCount--;
    });
    this.view.put(platformSubnets, { subnetId }, { sequence, owner, transformation: undefined, conversion: undefined });
    this.#event({ kind: "subnet-created", subnetId, owner });
  }

  setSubnetOwner(subnetId: Id, owner: Owner, txId: Id): void {
    this.#updateSubnet(subnetId, { owner });
    this.#event({ kind: "subnet-owner", subnetId, txId, owner });
  }

  /** @param transformation the signed TransformSubnetTx with codec version */
  transformSubnet(subnetId: Id, transformation: Uint8Array, txId: Id): void {
    this.#updateSubnet(subnetId, { transformation });
    this.#event({ kind: "subnet-transformed", subnetId, txId });
  }

  convertSubnet(subnetId: Id, conversion: NonNullable<SubnetRow["conversion"]>, txId: Id): void {
    this.#updateSubnet(subnetId, { conversion });
    const { managerChainId, managerAddress } = conversion;
    this.#event({ kind: "subnet-converted", subnetId, txId, managerChainId, managerAddress });
  }

  #updateSubnet(subnetId: Id, changes: Partial<Omit<SubnetRow, "sequence">>): void {
    this.view.put(platformSubnets, { subnetId }, { ...this.subnet(subnetId)!, ...changes });
  }

  chain(chainId: Id): ChainRow | undefined {
    return this.view.get(platformChains, { chainId });
  }

  addChain(chainId: Id, chain: { subnetId: Id; name: string; vmId: Id; fxIds: Id[]; genesis: Uint8Array }): void {
    const { genesis, ...row } = chain;
    const sequence = this.#chainCount++;
    this.view.onRollback(() => {
      this.#chainCount--;
    });
    this.view.put(platformChains, { chainId }, { sequence, ...row });
    this.changes.record(this.changes.createdChains, { chainId, subnetId: row.subnetId, vmId: row.vmId, fxIds: row.fxIds, genesis });
    this.#event({ kind: "chain-created", chainId, subnetId: row.subnetId, name: row.name, vmId: row.vmId });
  }

  // L1 validators

  l1Validator(validationId: Id): L1Validator | undefined {
    const row = this.view.get(platformL1Validators, { validationId });
    return row === undefined ? undefined : { ...row, validationId };
  }

  /** Active ones, in the order in which their balances end. */
  get activeL1Validators(): readonly L1Validator[] {
    return this.#l1.active;
  }

  /** Of active and inactive validators. */
  l1TotalWeight(subnetId: Id): bigint {
    return this.#l1.subnet(subnetId)?.totalWeight ?? 0n;
  }

  l1ValidatorOfNode(subnetId: Id, nodeId: NodeId): L1Validator | undefined {
    return this.#l1.ofNode(subnetId, nodeId);
  }

  /**
   * Inserts, replaces or – with weight 0 – removes an L1 validator.
   * @param txId the transaction that does it; without one its balance is used up
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
    this.#event({ kind: "l1-validator", validationId, txId, before, after: row.weight === 0n ? undefined : row, accruedFees });
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

  /** A member of a subnet's current validator set; INACTIVE_NODE_ID stands for all inactive L1 validators. */
  member(subnetId: Id, nodeId: NodeId): ValidatorMember | undefined {
    return memberOf({ current: this.#current, l1: this.#l1 }, subnetId, nodeId);
  }

  /** A subnet's current validator set. */
  members(subnetId: Id): Iterable<[NodeId, ValidatorMember]> {
    return membersOf({ current: this.#current, l1: this.#l1 }, subnetId);
  }

  /** The members that the block in execution changed so far. */
  validatorChanges(): ValidatorChange[] {
    const changes: ValidatorChange[] = [];
    for (const { subnetId, nodeId, before } of this.changes.touched.values()) {
      const after = this.member(subnetId, nodeId);
      if (before?.weight !== after?.weight || before?.publicKey !== after?.publicKey) changes.push({ subnetId, nodeId, before, after });
    }
    return changes;
  }

  #event(event: PlatformEvent): void {
    this.changes.record(this.changes.events, event);
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
