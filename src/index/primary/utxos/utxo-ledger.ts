/**
 * Keeps `utxo_records` during a run and notes each change, from which lists and balances are made. Records of what is consumed or staked,
 * and pending spends of what is exported, must have been fetched.
 */

import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { PrimaryChain } from "../primary-chain.ts";
import type { DecodedUtxo, UtxoRecord } from "../transactions/tx-effects.ts";
import { type GroupId, groupsOf } from "./owner-group.ts";
import { decodeOutput, type UtxoBody } from "./utxo-codec.ts";
import { NO_REWARD, pendingSpends, utxoRecords } from "./utxo-tables.ts";

/** Block time never goes back within a stream. Vertices of the DAG have their own times, so they are a stream of their own. */
export const VERTEX_STREAM = 3;
export type Stream = PrimaryChain | typeof VERTEX_STREAM;

/** When and on which chain something happens. */
export interface Moment {
  readonly chain: PrimaryChain;
  readonly stream: Stream;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
}

export interface UtxoChange {
  readonly utxoId: Id;
  readonly output: UtxoBody;
  readonly groups: readonly GroupId[];
  /** undefined: the UTXO is new */
  readonly before: UtxoRecord | undefined;
  readonly after: UtxoRecord;
  /** of an active stake: its period had not begun */
  readonly wasPending: boolean;
  readonly isPending: boolean;
  readonly moment: Moment;
}

export interface NewUtxo {
  readonly utxoId: Id;
  /** without codec version */
  readonly bytes: Uint8Array;
  readonly createdOn?: PrimaryChain;
  readonly consumedOn?: PrimaryChain;
  readonly reward?: number;
  readonly stake?: { readonly start: bigint; readonly end: bigint; readonly isPending: boolean };
}

export class UtxoLedger {
  readonly changes: UtxoChange[] = [];
  readonly #view: View;
  readonly #network: NetworkInstance;
  readonly #moment: Moment;

  constructor(view: View, network: NetworkInstance, moment: Moment) {
    this.#view = view;
    this.#network = network;
    this.#moment = moment;
  }

  /** @param height of the block, if it differs from the moment's: a proposal's effects come with its option */
  create(utxo: NewUtxo, height = this.#moment.height): DecodedUtxo {
    const { chain, timestamp } = this.#moment;
    const { utxoId, bytes, createdOn = chain, consumedOn = createdOn, reward = NO_REWARD, stake } = utxo;
    const after: UtxoRecord = {
      bytes,
      createdOn,
      consumedOn,
      height,
      timestamp,
      reward,
      stake: stake && { start: stake.start, end: stake.end, isActive: true },
      spent: createdOn === consumedOn ? undefined : this.#takePendingSpend(utxoId),
    };
    const isPending = stake?.isPending ?? false;
    return this.#note({ utxoId, before: undefined, after, wasPending: false, isPending });
  }

  /** @param txId the empty ID if the store does not hold the consuming chain */
  consume(
    utxoId: Id,
    inputIndex: number,
    txId: Id,
    options: { isImport: boolean; height?: bigint; chain?: PrimaryChain },
  ): DecodedUtxo | undefined {
    const { height = this.#moment.height, chain = this.#moment.chain } = options;
    const spent = { txId, chain, height, timestamp: this.#moment.timestamp, inputIndex };
    const before = this.#view.get(utxoRecords, { utxoId });
    if (before === undefined) {
      if (options.isImport) this.#view.put(pendingSpends, { utxoId }, { spent });
      return undefined;
    }
    if (before.spent !== undefined) return undefined;
    return this.#note({ utxoId, before, after: { ...before, spent }, wasPending: false, isPending: false });
  }

  /** Marks an element of shared memory as consumed by a chain that the store does not hold. */
  consumeUnseen(utxoId: Id, chain: PrimaryChain): void {
    this.consume(utxoId, 0, EMPTY_ID, { isImport: true, height: 0n, chain });
  }

  promoteStake(utxoId: Id): void {
    this.#changeStake(utxoId, {}, { wasPending: true });
  }

  renewStake(utxoId: Id, end: bigint): void {
    this.#changeStake(utxoId, { end });
  }

  endStake(utxoId: Id): void {
    this.#changeStake(utxoId, { isActive: false });
  }

  #changeStake(utxoId: Id, change: { end?: bigint; isActive?: boolean }, { wasPending } = { wasPending: false }): void {
    const before = this.#view.get(utxoRecords, { utxoId });
    if (before?.stake === undefined) throw new TypeError(`the stake of UTXO ${utxoId} changes, but its record has no stake`);
    this.#note({ utxoId, before, after: { ...before, stake: { ...before.stake, ...change } }, wasPending, isPending: false });
  }

  #takePendingSpend(utxoId: Id): UtxoRecord["spent"] {
    const pending = this.#view.get(pendingSpends, { utxoId });
    if (pending !== undefined) this.#view.delete(pendingSpends, { utxoId });
    return pending?.spent;
  }

  #note(change: Omit<UtxoChange, "output" | "groups" | "moment">): DecodedUtxo {
    const { utxoId, before, after, wasPending, isPending } = change;
    this.#view.put(utxoRecords, { utxoId }, after);
    const output = decodeOutput(after, this.#network);
    this.changes.push({ utxoId, output, groups: groupsOf(output), before, after, wasPending, isPending, moment: this.#moment });
    return { utxoId, record: after, output };
  }
}
