/**
 * Keeps `utxo_records` during a run and notes each change, from which lists and balances are made. Records of what is consumed or staked,
 * and pending spends of what is exported, must have been fetched.
 */

import { sha256Hex } from "../../../base/bytes/hash.ts";
import { EMPTY_ID, EMPTY_SHORT_ID, type Id, type ShortId } from "../../../base/bytes/id.ts";
import { Recent } from "../../../base/collections/bounded-cache.ts";
import type { View } from "../../../base/table/view.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { type PrimaryChain, X_CHAIN } from "../primary-chain.ts";
import type { DecodedUtxo, UtxoRecord } from "../transactions/tx-effects.ts";
import { decodeOutput, type UtxoBody } from "./utxo-codec.ts";
import { NO_REWARD, pendingSpends, utxoRecords } from "./utxo-tables.ts";

// Owner groups: all owners of an output, as (threshold, addresses), without the locktime. UTXO lists and sums belong to groups, so a
// multisig UTXO is counted once when two of its owners are queried. Group IDs are hashes, so nobody can choose one as they could an
// address.

export type GroupId = ShortId;

/** All UTXOs of a chain, including those without owners. No group's hash is 0. */
export const WHOLE_CHAIN: GroupId = EMPTY_SHORT_ID;

const ID_DIGITS = 40;
const groupIds = new Recent<string, GroupId>(50_000);
const listIds = new Recent<string, ShortId>(50_000);

export function groupId(owners: Pick<UtxoBody, "threshold" | "addresses">): GroupId {
  // most owners are one address, which is looked up as it is
  const name = isSole(owners) ? owners.addresses[0]! : nameOf(owners);
  let hash = groupIds.get(name);
  if (hash === undefined) {
    hash = sha256Hex(Buffer.from(nameOf(owners))).slice(0, ID_DIGITS);
    groupIds.set(name, hash);
  }
  return hash;
}

function nameOf({ threshold, addresses }: Pick<UtxoBody, "threshold" | "addresses">): string {
  return `${threshold} ${addresses.join()}`;
}

/** The group of an address that owns alone. It is found without a row. */
export function soleGroup(address: ShortId): GroupId {
  return groupId({ threshold: 1, addresses: [address] });
}

export function isSole({ threshold, addresses }: Pick<UtxoBody, "threshold" | "addresses">): boolean {
  return threshold === 1 && addresses.length === 1;
}

/** The groups to which a UTXO belongs. */
function groupsOf(utxo: UtxoBody): GroupId[] {
  return utxo.addresses.length === 0 ? [WHOLE_CHAIN] : [WHOLE_CHAIN, groupId(utxo)];
}

/** All of a group's UTXOs on the X-chain that are not AVAX. */
const OTHER_ASSETS = "other assets";

/** A group's list on the X-chain for one asset, or for all assets but AVAX. AVAX, and everything on P and C, is in the group's own list. */
function listId(group: GroupId, scope: Id | typeof OTHER_ASSETS): ShortId {
  return hashed(`${group} ${scope}`);
}

/** A list's part of one class of amount. */
export function classListId(list: ShortId, amountClass: number): ShortId {
  return hashed(`${list} class ${amountClass}`);
}

function hashed(name: string): ShortId {
  let hash = listIds.get(name);
  if (hash === undefined) {
    hash = sha256Hex(Buffer.from(name)).slice(0, ID_DIGITS);
    listIds.set(name, hash);
  }
  return hash;
}

/** The lists of a group that contain a UTXO. */
export function listsOf(group: GroupId, chain: number, assetId: Id, avaxAssetId: Id): ShortId[] {
  if (chain !== X_CHAIN || assetId === avaxAssetId) return [group];
  return [listId(group, OTHER_ASSETS), listId(group, assetId)];
}

/** The lists that together answer a query for one asset or for all. Only the X-chain filters by asset. */
export function listsFor(group: GroupId, chain: number, assetId: Id | undefined, avaxAssetId: Id): ShortId[] {
  if (chain !== X_CHAIN || assetId === avaxAssetId) return [group];
  return assetId === undefined ? [group, listId(group, OTHER_ASSETS)] : [listId(group, assetId)];
}

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
