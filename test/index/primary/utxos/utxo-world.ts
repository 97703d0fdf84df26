/**
 * UTXOs of three chains with random histories, in a store as the index writes them, and in plain memory, from which loops compute the
 * expected answers.
 */

import type { Id, ShortId } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { encodeAll } from "../../../../src/base/codec/codec.ts";
import { rowKey, View } from "../../../../src/base/table/view.ts";
import { exportedUtxo } from "../../../../src/chains/atomic/tx.ts";
import { buildGenesis } from "../../../../src/chains/platform/genesis/genesis-config.ts";
import { utxo as platformUtxo } from "../../../../src/chains/platform/output.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { xChainCodec } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { projectChanges } from "../../../../src/index/primary/utxos/utxo-effects.ts";
import { type Moment, type Stream, type UtxoChange, UtxoLedger } from "../../../../src/index/primary/utxos/utxo-ledger.ts";
import { pendingSpends, utxoRecords } from "../../../../src/index/primary/utxos/utxo-tables.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import { localGenesis } from "../../../../src/network/local-genesis.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { localNetwork } from "../../../../src/network/presets.ts";
import type { Store } from "../../../../src/store/store.ts";

export const network: NetworkInstance = networkInstance(localNetwork(), buildGenesis(localGenesis()));

export interface Owner {
  readonly threshold: number;
  readonly addresses: readonly ShortId[];
}

/** What a UTXO is from its beginning on. */
export interface Kind {
  readonly createdOn: PrimaryChain;
  readonly consumedOn: PrimaryChain;
  readonly owner: Owner;
  readonly amount: bigint;
  readonly assetId: Id;
  readonly isNft: boolean;
  readonly locktime: bigint;
  readonly stakeableLocktime: bigint | undefined;
}

export interface Stake {
  /** from when on it has which state and end; the newest of those at or before a time says how it is then */
  readonly states: { readonly time: bigint; readonly state: "pending" | "active" | "left"; readonly end: bigint }[];
}

export interface LivingUtxo extends Kind {
  readonly utxoId: Id;
  readonly bytes: Uint8Array;
  /** undefined until it is created */
  created?: bigint;
  spent?: bigint;
  stake?: Stake;
}

let made = 0;

/** Gives the UTXOs of another world the IDs of the first one. */
export function startIds(): void {
  made = 0;
}

export function newUtxo(kind: Kind): LivingUtxo {
  const txId = (++made).toString(16).padStart(64, "0");
  return { ...kind, utxoId: utxoId(txId, 0), bytes: encoded(kind, txId) };
}

function encoded({ createdOn, owner, amount, assetId, isNft, locktime, stakeableLocktime }: Kind, txId: Id): Uint8Array {
  const { threshold } = owner;
  const addresses = [...owner.addresses].sort();
  const reference = { txId, outputIndex: 0, assetId };
  const output = { kind: "TransferOutput" as const, amount, locktime, threshold, addresses };
  if (createdOn === C_CHAIN) return encodeAll(exportedUtxo, { ...reference, output });
  if (createdOn === P_CHAIN) {
    const locked = stakeableLocktime === undefined ? output : { kind: "LockOut" as const, locktime: stakeableLocktime, output };
    return encodeAll(platformUtxo, { ...reference, output: locked });
  }
  const owners = { locktime, threshold, addresses };
  const body = isNft
    ? { kind: "nft.TransferOutput", groupId: 1, payload: new Uint8Array(2), ...owners }
    : amount === 0n
      ? { kind: "secp256k1.MintOutput", ...owners }
      : { kind: "secp256k1.TransferOutput", amount, ...owners };
  return encodeAll(xChainCodec(network).utxo, { ...reference, output: body });
}

/** Blocks over a store. What happens between two commits is projected together, as a run of ingest is. */
export class UtxoWorld {
  readonly utxos: LivingUtxo[] = [];
  readonly store: Store;
  #view = new View();
  #changes: UtxoChange[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  /** One block: `happen` changes UTXOs at its time. */
  async block(stream: Stream, timestamp: bigint, touched: readonly LivingUtxo[], happen: (ledger: UtxoLedger) => void): Promise<void> {
    const chain = stream === P_CHAIN || stream === C_CHAIN ? stream : X_CHAIN;
    const moment: Moment = { chain, stream, height: 1n, timestamp };
    await this.#fetch(touched.flatMap(({ utxoId }) => [rowKey(utxoRecords, { utxoId }), rowKey(pendingSpends, { utxoId })]));
    const ledger = new UtxoLedger(this.#view, network, moment);
    happen(ledger);
    this.#changes.push(...ledger.changes);
  }

  async commit(): Promise<void> {
    await projectChanges(this.#view, this.#changes, { fetch: (keys) => this.#fetch(keys), ranges: this.store }, network);
    this.#changes = [];
    await this.store.commit(this.#view.drain());
    this.#view.evict();
  }

  async #fetch(keys: readonly ReturnType<typeof rowKey>[]): Promise<void> {
    for (const row of keys) if (!this.#view.knows(row)) this.#view.load(row.table, row.key, await this.store.get(row.table, row.key));
  }
}
