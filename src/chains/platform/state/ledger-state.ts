/**
 * The part of the P-chain's state that is read by key: scalars, UTXOs, transactions, subnets, chains, and what goes to other chains
 * (chain-rules 3).
 */

import type { Id } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { utxoRank } from "../../../base/bytes/utxo-rank.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { View } from "../../../base/table/view.ts";
import { RuleError } from "../../../network/execution.ts";
import { isActive, type NetworkInstance, type UpgradeName } from "../../../network/network.ts";
import { SharedMemory } from "../../shared-memory/shared-memory.ts";
import type { PlatformEvent, RewardEvent } from "../facts.ts";
import { outputAddresses, type Utxo } from "../output.ts";
import {
  platformChain,
  platformChains,
  platformRewardUtxos,
  platformSubnets,
  platformSupplies,
  platformTxs,
  platformUtxos,
  type SubnetRow,
} from "../tables.ts";
import { BlockChanges } from "./block-changes.ts";
import { decodeUtxo, encodeUtxo } from "./utxo-bytes.ts";

export type Scalars = TableValue<typeof platformChain>;
export type ChainRow = TableValue<typeof platformChains>;
export type TxRow = TableValue<typeof platformTxs>;
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

  protected event(event: PlatformEvent): void {
    this.changes.record(this.changes.events, event);
  }
}
