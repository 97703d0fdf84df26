/**
 * The part of the P-chain's state that is read by key: scalars, UTXOs, transactions, subnets, chains, and what goes to other chains
 * (chain-rules 3).
 */

import type { Id, NodeId } from "../../../base/bytes/id.ts";
import { utxoIdOf, utxoRank } from "../../../base/bytes/utxo-id.ts";
import { decodeAll, encodeAll } from "../../../base/codec/codec.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { View } from "../../../base/table/view.ts";
import { type ConsumedUtxo, type ProducedUtxo, RuleError } from "../../../network/execution.ts";
import { isActive, type NetworkInstance, type UpgradeName } from "../../../network/network.ts";
import { type SharedElement, SharedMemory } from "../../shared-memory/shared-memory.ts";
import type { CreatedChain, EventOf, RewardEvent, TxEventOf } from "../events.ts";
import { outputAddresses, type Utxo, utxo as utxoCodec } from "../output.ts";
import {
  platformChain,
  platformChains,
  platformRewardUtxos,
  platformSubnets,
  platformSupplies,
  platformTxs,
  platformUtxos,
  type SubnetRow,
  type ValidatorMember,
} from "../tables.ts";
import type { Signed } from "../tx/signed.ts";

/** A transaction that is recorded without looking into it. */
type RecordedTx = Signed<{ readonly kind: string }>;

/** A validator-set member that the block changes, as it was before the block. */
interface TouchedMember {
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly before: ValidatorMember | undefined;
}

/** Lengths of the lists before a transaction. */
interface TxStart {
  readonly produced: number;
  readonly consumed: number;
  readonly imports: number;
  readonly exports: number;
}

/**
 * Records what happens while a block is executed, in addition to rows: the input of the block's facts. Every entry is undone together with
 * the view's rows, so a refused transaction or a proposal's other branch leaves no trace.
 */
class BlockChanges {
  readonly #view: View;
  readonly produced: ProducedUtxo[] = [];
  readonly consumed: ConsumedUtxo[] = [];
  readonly createdChains: CreatedChain[] = [];
  /** UTXOs imported from other chains; they leave shared memory when the block is accepted */
  readonly imports: { readonly sourceChain: Id; readonly utxoIds: readonly Id[] }[] = [];
  readonly exports: { readonly destinationChain: Id; readonly elements: readonly SharedElement[] }[] = [];
  /** all events, in order */
  readonly events: EventOf<RecordedTx>[] = [];
  #txCount = 0;
  readonly touched = new Map<string, TouchedMember>();
  /** validators that were in their set before the block and left it in the block */
  readonly #left = new Set<string>();
  readonly #entered = new Set<string>();

  constructor(view: View) {
    this.#view = view;
  }

  record<T>(list: T[], entry: T): void {
    list.push(entry);
    this.#view.onRollback(() => list.pop());
  }

  /** Call this before a transaction is executed; later entries belong to the transaction. */
  beginTx(): TxStart {
    const { produced, consumed, imports, exports } = this;
    return { produced: produced.length, consumed: consumed.length, imports: imports.length, exports: exports.length };
  }

  /** Records a decided transaction; its effects are the entries since `start`. */
  endTx(start: TxStart, decided: Pick<TxEventOf<RecordedTx>, "tx" | "isCommitted" | "blockId" | "height">): void {
    const index = this.#txCount++;
    this.#view.onRollback(() => {
      this.#txCount--;
    });
    this.record(this.events, {
      kind: "tx",
      ...decided,
      index,
      produced: this.produced.slice(start.produced),
      consumed: this.consumed.slice(start.consumed),
      imported: this.imports.slice(start.imports),
      exported: this.exports.slice(start.exports),
    });
  }

  /** Remembers a member's value before its first change in this block. */
  touch(subnetId: Id, nodeId: NodeId, before: () => ValidatorMember | undefined): void {
    const key = subnetId + nodeId;
    if (this.touched.has(key)) return;
    this.touched.set(key, { subnetId, nodeId, before: before() });
    this.#view.onRollback(() => this.touched.delete(key));
  }

  /** Records that a validator entered a set (`key` names set, subnet and node). */
  enter(key: string): void {
    this.#add(this.#entered, key);
  }

  leave(key: string): void {
    if (this.#entered.delete(key)) this.#view.onRollback(() => this.#entered.add(key));
    else this.#add(this.#left, key);
  }

  hasLeft(key: string): boolean {
    return this.#left.has(key);
  }

  #add(set: Set<string>, key: string): void {
    if (set.has(key)) return;
    set.add(key);
    this.#view.onRollback(() => set.delete(key));
  }
}

const decoded = new WeakMap<Uint8Array, Utxo>();

/** Encodes and decodes UTXO rows, which have no codec version. Decoded UTXOs are cached for as long as their row's bytes are in use. */
export function decodeUtxo(bytes: Uint8Array): Utxo {
  let utxo = decoded.get(bytes);
  if (utxo === undefined) {
    utxo = decodeAll(utxoCodec, bytes);
    decoded.set(bytes, utxo);
  }
  return utxo;
}

export function encodeUtxo(utxo: Utxo): Uint8Array {
  const bytes = encodeAll(utxoCodec, utxo);
  decoded.set(bytes, utxo);
  return bytes;
}

export type Scalars = TableValue<typeof platformChain>;
type ChainRow = TableValue<typeof platformChains>;
type TxRow = TableValue<typeof platformTxs>;
type Owner = SubnetRow["owner"];

const SCALARS = { slot: 0 };
const CODEC_VERSION = Buffer.alloc(2);

export class LedgerState {
  readonly network: NetworkInstance;
  readonly view: View;
  readonly sharedMemory: SharedMemory;
  /** Changes of the block being executed. */
  changes: BlockChanges;
  #subnetCount = 0n;
  #chainCount = 0n;

  constructor(network: NetworkInstance, view: View) {
    this.network = network;
    this.view = view;
    this.sharedMemory = new SharedMemory(view);
    this.changes = new BlockChanges(view);
  }

  /** Counts what is numbered in order of creation. */
  initialize(): void {
    this.#subnetCount = BigInt([...this.view.rows(platformSubnets)].length);
    this.#chainCount = BigInt([...this.view.rows(platformChains)].length);
    this.beginBlock();
  }

  /** Discards the changes recorded for the previous block. */
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
    const utxoId = utxoIdOf(utxo);
    const bytes = encodeUtxo(utxo);
    const rank = utxoRank(this.isInitialized ? this.scalars.height + 1n : 0n);
    this.view.put(platformUtxos, { utxoId }, { bytes, rank });
    this.changes.record(this.changes.produced, { utxoId, bytes, addresses: outputAddresses(utxo.output), rank });
    return utxoId;
  }

  /** Removes a UTXO. It may be absent, because at level `replay` the flow check does not look it up. */
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
    this.event({ kind: "reward", ...paid, utxo: this.changes.produced.at(-1)! });
  }

  tx(txId: Id): TxRow | undefined {
    return this.view.get(platformTxs, { txId });
  }

  putTx(txId: Id, row: TxRow): void {
    this.view.put(platformTxs, { txId }, row);
  }

  // Shared memory: changes are applied when the block is accepted

  /** Imports UTXOs that another chain exported. */
  importUtxos(sourceChain: Id, utxoIds: readonly Id[]): void {
    this.changes.record(this.changes.imports, { sourceChain, utxoIds });
  }

  /** Exports UTXOs to another chain. They do not become UTXOs of this chain. */
  exportUtxos(destinationChain: Id, utxos: readonly Utxo[]): void {
    const elements = utxos.map((utxo) => ({
      key: utxoIdOf(utxo),
      bytes: Buffer.concat([CODEC_VERSION, encodeUtxo(utxo)]),
      traits: outputAddresses(utxo.output),
    }));
    this.changes.record(this.changes.exports, { destinationChain, elements });
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
    this.event({ kind: "subnet-created", subnetId, owner });
  }

  setSubnetOwner(subnetId: Id, owner: Owner, txId: Id): void {
    this.#updateSubnet(subnetId, { owner });
    this.event({ kind: "subnet-owner", subnetId, txId, owner });
  }

  /** @param transformation the signed TransformSubnetTx with codec version */
  transformSubnet(subnetId: Id, transformation: Uint8Array, txId: Id): void {
    this.#updateSubnet(subnetId, { transformation });
    this.event({ kind: "subnet-transformed", subnetId, txId });
  }

  convertSubnet(subnetId: Id, conversion: NonNullable<SubnetRow["conversion"]>, txId: Id): void {
    this.#updateSubnet(subnetId, { conversion });
    const { managerChainId, managerAddress } = conversion;
    this.event({ kind: "subnet-converted", subnetId, txId, managerChainId, managerAddress });
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
    this.event({ kind: "chain-created", chainId, subnetId: row.subnetId, name: row.name, vmId: row.vmId });
  }

  protected event(event: EventOf<RecordedTx>): void {
    this.changes.record(this.changes.events, event);
  }
}
