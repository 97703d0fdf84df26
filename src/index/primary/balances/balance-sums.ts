/**
 * Keeps the running sums. An output counts in the seconds after its creation and before its consumption. Created at t, it counts from t + 1
 * on. Consumed at t, it stops counting at t, or never counts. Per run, a sum costs one row for itself and one for each second in which it
 * changed.
 */
import type { TableValue } from "../../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../../primitives/view.ts";
import type { UtxoChange } from "../utxos/utxo-ledger.ts";
import { type Place, placesOf } from "./balance-places.ts";
import { balanceHeads, balanceHistory, type Delta, endedSums, type SumKey } from "./balance-tables.ts";

type Head = TableValue<typeof balanceHeads>;

/** One change of a sum. */
interface Posting {
  readonly delta: Delta;
  /** block time: later changes of this stream cannot count earlier */
  readonly now: bigint;
}

/** All changes of one sum, in order. */
export interface SumPostings {
  readonly key: SumKey;
  readonly postings: Posting[];
}

/** Returns the postings for the whole chain's sums and for the groups' sums. */
export function postingsOf(changes: readonly UtxoChange[]): SumPostings[] {
  const sums = new Map<string, SumPostings>();
  for (const change of changes) {
    const { moment, groups } = change;
    for (const { place, delta } of moves(change)) {
      for (const groupId of groups) {
        const { chain, lock, scale, span, bucket, peer, assetId, isNft } = place;
        const name = `${chain} ${groupId} ${lock} ${scale} ${span} ${bucket} ${peer} ${assetId} ${isNft} ${moment.stream}`;
        let sum = sums.get(name);
        if (sum === undefined) {
          const key = { chain, groupId, lock, scale, span, bucket, peer, assetId, isNft, stream: moment.stream };
          sum = { key, postings: [] };
          sums.set(name, sum);
        }
        sum.postings.push({ delta, now: moment.timestamp });
      }
    }
  }
  return [...sums.values()];
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

function moves({ before, after, output, wasPending, isPending, moment }: UtxoChange): { place: Place; delta: Delta }[] {
  // for example the right to mint, which has no amount
  if (output.amount === 0n) return [];
  const bornAt = after.timestamp + 1n;
  const enter = (time: bigint) => ({ time, amount: output.amount, count: 1 });
  const leave = (time: bigint) => ({ time, amount: -output.amount, count: -1 });
  const at = (places: Place[], delta: Delta) => places.map((place) => ({ place, delta: place.isDeducted ? opposite(delta) : delta }));
  if (after.spent !== undefined) {
    const places = placesOf(before ?? after, output, wasPending);
    const left = at(places, leave(later(after.spent.timestamp, bornAt)));
    return before === undefined ? [...at(places, enter(bornAt)), ...left] : left;
  }
  const entered = placesOf(after, output, isPending);
  if (before === undefined) return at(entered, enter(bornAt));
  const time = later(moment.timestamp, bornAt);
  return [...at(placesOf(before, output, wasPending), leave(time)), ...at(entered, enter(time))];
}

function opposite({ time, amount, count }: Delta): Delta {
  return { time, amount: -amount, count: -count };
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
  }

  post(delta: Delta, now: bigint): void {
    // A sum that begins now may have ended in 0 earlier; that 0 belongs into its history.
    if (this.#isNothing) {
      this.#writeHistory();
      this.#time = now;
    }
    this.#settle(now);
    if (delta.time <= now) this.#add(delta);
    else this.#postpone(delta);
    // after every change, so that it does not matter which blocks are committed together
    this.#hasEnded ||= this.#isNothing;
  }

  write(): void {
    this.#writeHistory();
    if (this.#hasEnded) this.#view.writeUnread(endedSums, this.#key, {});
    if (this.#isNothing) this.#view.delete(balanceHeads, this.#key);
    else {
      const [time, amount, count] = [this.#time, this.#amount, this.#count];
      this.#view.put(balanceHeads, this.#key, { time, amount, count, pending: this.#pending });
    }
  }

  get #isNothing(): boolean {
    return this.#amount === 0n && this.#count === 0 && this.#pending.length === 0;
  }

  /** Adds the pending changes that are due. No later change of this stream can come before them. */
  #settle(now: bigint): void {
    while (this.#pending.length > 0 && this.#pending[0]!.time <= now) this.#add(this.#pending.shift()!);
  }

  #add({ time, amount, count }: Delta): void {
    if (time > this.#time) this.#writeHistory();
    // If the source's clock went back, a late change counts from the newest change on.
    this.#time = later(time, this.#time);
    this.#amount += amount;
    this.#count += count;
    this.#isHistoryDue = true;
  }

  #writeHistory(): void {
    if (!this.#isHistoryDue) return;
    this.#view.writeUnread(balanceHistory, { ...this.#key, time: this.#time }, { amount: this.#amount, count: this.#count });
    this.#isHistoryDue = false;
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
