/**
 * Keeps the running sums. An output counts in the seconds after its creation and before its consumption. Created at t, it counts from t + 1
 * on. Consumed at t, it stops counting at t, or never counts. Per run, a sum costs one row for itself, and one for every `POINTS` seconds in
 * which it changed.
 */

import type { Id } from "../../../base/bytes/id.ts";
import type { TableKey, TableValue } from "../../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import type { UtxoRecord } from "../transactions/tx-effects.ts";
import { isNft, type UtxoBody } from "../utxos/utxo-codec.ts";
import type { GroupId, Stream, UtxoChange } from "../utxos/utxo-ledger.ts";
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK, spansOf } from "./balance-locks.ts";
import { endsAt, firstTime, isFull, NO_POINTS, withPoint } from "./balance-points.ts";
import {
  BUCKET_EXPORTED,
  BUCKET_IMPORTABLE,
  BUCKET_OWN,
  BUCKET_STAKED,
  BUCKET_STAKED_LOCKED,
  BUCKET_STAKED_PENDING,
  balanceHeads,
  balanceHistory,
  type Delta,
  endedSums,
  type SumKey,
} from "./balance-tables.ts";

// Where a UTXO counts in balances (data-api 8.4): on which chain, in which bucket, under which locks.

/** The key of a sum without the owner group and the stream. */
interface Place extends Omit<TableKey<typeof balanceHeads>, "groupId" | "stream"> {
  /** true: the amount is subtracted in this place */
  readonly isDeducted: boolean;
}

/** The places of an unspent UTXO. `isPending`: it is staked, and the staking period has not begun. */
function placesOf(record: UtxoRecord, output: UtxoBody, isPending: boolean): Place[] {
  const { createdOn, consumedOn, stake } = record;
  const { assetId } = output;
  const ofNft = isNft(output);
  const locks = locksOf(record, output);
  if (createdOn !== consumedOn) {
    return [
      ...withLocks({ chain: createdOn, bucket: BUCKET_EXPORTED, peer: consumedOn, assetId, isNft: ofNft }, locks),
      ...withLocks({ chain: consumedOn, bucket: BUCKET_IMPORTABLE, peer: createdOn, assetId, isNft: ofNft }, locks),
    ];
  }
  if (!stake?.isActive) return withLocks({ chain: createdOn, peer: createdOn, bucket: BUCKET_OWN, assetId, isNft: ofNft }, locks);
  const bucket = isPending ? BUCKET_STAKED_PENDING : stakedBucket(stake.end, locks);
  return withLocks({ chain: createdOn, peer: createdOn, bucket, assetId, isNft: ofNft }, UNLOCKED);
}

/** When the locks end, Unix seconds; 0: no lock. */
interface Locks {
  readonly plain: bigint;
  readonly stakeable: bigint;
}

const UNLOCKED: Locks = { plain: 0n, stakeable: 0n };

/** A lock that had ended when the output was created never applies. */
function locksOf({ timestamp }: UtxoRecord, { locktime, stakeableLocktime = 0n }: UtxoBody): Locks {
  if (locktime === 0n && stakeableLocktime === 0n) return UNLOCKED;
  const held = (end: bigint) => (end > timestamp ? end : 0n);
  return { plain: held(locktime), stakeable: held(stakeableLocktime) };
}

function stakedBucket(end: bigint, { plain, stakeable }: Locks): number {
  return plain > end || stakeable > end ? BUCKET_STAKED_LOCKED : BUCKET_STAKED;
}

type Unlocked = Omit<Place, "lock" | "scale" | "span" | "isDeducted">;

/** An output with both locks is stakeable first: until its stakeable lock ends, it is subtracted from what the plain lock holds. */
function withLocks(place: Unlocked, { plain, stakeable }: Locks): Place[] {
  const { chain, bucket, peer, assetId, isNft } = place;
  const all = { chain, bucket, peer, assetId, isNft, lock: NO_LOCK, scale: 0, span: 0n, isDeducted: false };
  if (plain === 0n && stakeable === 0n) return [all];
  const behind = (lock: number, end: bigint, isDeducted = false) =>
    end === 0n ? [] : spansOf(end).map((span) => ({ ...place, lock, ...span, isDeducted }));
  const held = plain > stakeable ? [...behind(PLAIN_LOCK, plain), ...behind(PLAIN_LOCK, stakeable, true)] : [];
  return [all, ...behind(STAKEABLE_LOCK, stakeable), ...held];
}

type Head = TableValue<typeof balanceHeads>;

/** One change of a sum. */
interface Posting {
  readonly delta: Delta;
  /** block time: later changes of this stream cannot count earlier */
  readonly now: bigint;
}

/** All changes of one sum, in order. */
interface SumPostings {
  readonly key: SumKey;
  readonly postings: Posting[];
}

/** Returns the postings for the whole chain's sums and for the groups' sums. */
export function postingsOf(changes: readonly UtxoChange[]): SumPostings[] {
  const places = new PlacesInRun();
  for (const change of changes) {
    const { stream, timestamp } = change.moment;
    for (const { place, delta } of moves(change)) {
      const sums = places.sumsOf(place, stream);
      const posting = { delta, now: timestamp };
      for (const groupId of change.groups) {
        const sum = sums.get(groupId);
        if (sum === undefined) sums.set(groupId, { key: keyOf(groupId, place, stream), postings: [posting] });
        else sum.postings.push(posting);
      }
    }
  }
  return places.all;
}

type SumsOfGroups = Map<GroupId, SumPostings>;

/** The sums of a run, by place and group. */
class PlacesInRun {
  /** by asset, and a number made of the other columns: as most sums are without locks, making a text for each change would cost more */
  readonly #unlocked = new Map<Id, Map<number, SumsOfGroups>>();
  readonly #locked = new Map<string, SumsOfGroups>();

  sumsOf(place: Place, stream: Stream): SumsOfGroups {
    const { chain, lock, scale, span, bucket, peer, assetId, isNft } = place;
    // chains and streams are below 4, buckets below 256
    const number = (((chain * 256 + bucket) * 4 + peer) * 4 + stream) * 2 + (isNft ? 1 : 0);
    if (lock !== NO_LOCK) return madeOnce(this.#locked, `${number} ${assetId} ${lock} ${scale} ${span}`);
    return madeOnce(madeOnce(this.#unlocked, assetId), number);
  }

  get all(): SumPostings[] {
    const places = [...[...this.#unlocked.values()].flatMap((ofAsset) => [...ofAsset.values()]), ...this.#locked.values()];
    return places.flatMap((sums) => [...sums.values()]);
  }
}

function madeOnce<K, N, V>(maps: Map<K, Map<N, V>>, key: K): Map<N, V> {
  let made = maps.get(key);
  if (made === undefined) {
    made = new Map();
    maps.set(key, made);
  }
  return made;
}

function keyOf(groupId: GroupId, { chain, lock, scale, span, bucket, peer, assetId, isNft }: Place, stream: Stream): SumKey {
  return { chain, groupId, lock, scale, span, bucket, peer, assetId, isNft, stream };
}

export function balanceKeys(sums: readonly SumPostings[]): RowKey[] {
  return sums.map(({ key }) => rowKey(balanceHeads, key));
}

export function projectBalances(view: View, sums: readonly SumPostings[]): void {
  for (const { key, postings } of sums) {
    const sum = new RunningSum(view, key);
    for (const { delta, now } of postings) sum.post(delta, now);
    sum.write();
  }
}

interface Move {
  readonly place: Place;
  readonly delta: Delta;
}

function moves({ before, after, output, wasPending, isPending, moment }: UtxoChange): Move[] {
  const { amount } = output;
  // for example the right to mint, which has no amount
  if (amount === 0n) return [];
  const bornAt = after.timestamp + 1n;
  if (after.spent !== undefined) {
    const places = placesOf(before ?? after, output, wasPending);
    const left = leave(places, later(after.spent.timestamp, bornAt), amount);
    return before === undefined ? [...enter(places, bornAt, amount), ...left] : left;
  }
  const entered = placesOf(after, output, isPending);
  if (before === undefined) return enter(entered, bornAt, amount);
  const time = later(moment.timestamp, bornAt);
  return [...leave(placesOf(before, output, wasPending), time, amount), ...enter(entered, time, amount)];
}

function enter(places: readonly Place[], time: bigint, amount: bigint): Move[] {
  return places.map((place) => ({ place, delta: place.isDeducted ? minus(time, amount) : plus(time, amount) }));
}

function leave(places: readonly Place[], time: bigint, amount: bigint): Move[] {
  return places.map((place) => ({ place, delta: place.isDeducted ? plus(time, amount) : minus(time, amount) }));
}

function plus(time: bigint, amount: bigint): Delta {
  return { time, amount, count: 1 };
}

function minus(time: bigint, amount: bigint): Delta {
  return { time, amount: -amount, count: -1 };
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** A sum during one run. */
class RunningSum {
  readonly #view: View;
  readonly #key: SumKey;
  #time: bigint;
  #amount: bigint;
  #count: number;
  readonly #pending: Delta[];
  #history: Uint8Array;
  /** the newest state is not in the history yet, since it may change again within the same second */
  #isHistoryDue = false;
  #hasEnded = false;

  constructor(view: View, key: SumKey) {
    const head: Head | undefined = view.get(balanceHeads, key);
    this.#view = view;
    this.#key = key;
    this.#time = head?.time ?? 0n;
    this.#amount = head?.amount ?? 0n;
    this.#count = head?.count ?? 0;
    this.#pending = [...(head?.pending ?? [])];
    this.#history = head?.history ?? NO_POINTS;
  }

  post(delta: Delta, now: bigint): void {
    // A sum that begins now may have ended in 0 earlier; that 0 belongs into its history.
    if (this.#isNothing) {
      this.#endHistory();
      this.#time = now;
    }
    this.#settle(now);
    if (delta.time <= now) this.#add(delta);
    else this.#postpone(delta);
    // after every change, so that it does not matter which blocks are committed together
    this.#hasEnded ||= this.#isNothing;
  }

  write(): void {
    if (this.#hasEnded) this.#view.writeUnread(endedSums, this.#key, {});
    if (this.#isNothing) {
      this.#endHistory();
      this.#view.delete(balanceHeads, this.#key);
      return;
    }
    this.#notePoint();
    const [time, amount, count, history] = [this.#time, this.#amount, this.#count, this.#history];
    this.#view.put(balanceHeads, this.#key, { time, amount, count, pending: this.#pending, history });
  }

  get #isNothing(): boolean {
    return this.#amount === 0n && this.#count === 0 && this.#pending.length === 0;
  }

  /** Adds the pending changes that are due. No later change of this stream can come before them. */
  #settle(now: bigint): void {
    while (this.#pending.length > 0 && this.#pending[0]!.time <= now) this.#add(this.#pending.shift()!);
  }

  #add({ time, amount, count }: Delta): void {
    if (time > this.#time) this.#notePoint();
    // If the source's clock went back, a late change counts from the newest change on.
    this.#time = later(time, this.#time);
    this.#amount += amount;
    this.#count += count;
    this.#isHistoryDue = true;
  }

  #notePoint(): void {
    if (!this.#isHistoryDue) return;
    // only a later second moves the points: the last one of a full history may still change
    if (isFull(this.#history) && !endsAt(this.#history, this.#time)) this.#moveHistory();
    this.#history = withPoint(this.#history, { time: this.#time, amount: this.#amount, count: this.#count });
    this.#isHistoryDue = false;
  }

  /** The head, which has the newest points, is removed. */
  #endHistory(): void {
    this.#notePoint();
    if (this.#history.length > 0) this.#moveHistory();
  }

  #moveHistory(): void {
    this.#view.writeUnread(balanceHistory, { ...this.#key, time: firstTime(this.#history) }, { points: this.#history });
    this.#history = NO_POINTS;
  }

  #postpone(delta: Delta): void {
    const at = this.#pending.findLastIndex(({ time }) => time <= delta.time);
    const same = this.#pending[at];
    if (same?.time !== delta.time) {
      this.#pending.splice(at + 1, 0, delta);
      return;
    }
    const [amount, count] = [same.amount + delta.amount, same.count + delta.count];
    if (amount === 0n && count === 0) this.#pending.splice(at, 1);
    else this.#pending[at] = { time: delta.time, amount, count };
  }
}
