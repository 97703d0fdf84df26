/**
 * Keeps the running sums. An output counts in the seconds after its creation and before its consumption: created at t, it counts from t + 1 on;
 * consumed at t, it stops at t, or never counted. Per run, a sum costs a row for itself and one for each second at which it changed.
 */
import type { TableValue } from "../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../primitives/view.ts";
import { type Place, placesOf } from "./balance-places.ts";
import { balanceHeads, balanceHistory, balanceSums, type Delta, type SumKey } from "./balance-tables.ts";
import type { UtxoChange } from "./utxo-ledger.ts";

type Head = TableValue<typeof balanceHeads>;

/** What one change does to a sum. */
interface Posting {
  readonly delta: Delta;
  /** block time: nothing that this stream still brings counts earlier */
  readonly now: bigint;
}

/** Of each sum that changes what changes it, in order. */
export interface SumPostings {
  readonly key: SumKey;
  readonly postings: Posting[];
}

/** The whole chain's sums and the group's. */
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
  // the right to mint and the like is worth nothing
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

/** A sum while a run is gone through. */
class RunningSum {
  readonly #view: View;
  readonly #key: SumKey;
  readonly #isNew: boolean;
  #time: bigint;
  #amount: bigint;
  #count: number;
  readonly #pending: Delta[];
  /** not written yet: it changes again within the same second */
  #isHistoryDue = false;

  constructor(view: View, key: SumKey) {
    const head: Head | undefined = view.get(balanceHeads, key);
    this.#view = view;
    this.#key = key;
    this.#isNew = head === undefined;
    this.#time = head?.time ?? 0n;
    this.#amount = head?.amount ?? 0n;
    this.#count = head?.count ?? 0;
    this.#pending = [...(head?.pending ?? [])];
  }

  post(delta: Delta, now: bigint): void {
    // before now, a sum that begins may have been something that ended in 0: its history says
    if (this.#isNothing) {
      this.#writeHistory();
      this.#time = now;
    }
    this.#settle(now);
    if (delta.time <= now) this.#add(delta);
    else this.#postpone(delta);
  }

  write(): void {
    this.#writeHistory();
    if (this.#isNew) this.#view.put(balanceSums, this.#key, {});
    if (this.#isNothing) this.#view.delete(balanceHeads, this.#key);
    else {
      const [time, amount, count] = [this.#time, this.#amount, this.#count];
      this.#view.put(balanceHeads, this.#key, { time, amount, count, pending: this.#pending });
    }
  }

  get #isNothing(): boolean {
    return this.#amount === 0n && this.#count === 0 && this.#pending.length === 0;
  }

  /** What has come to count: no change of this stream can come before it any more. */
  #settle(now: bigint): void {
    while (this.#pending.length > 0 && this.#pending[0]!.time <= now) this.#add(this.#pending.shift()!);
  }

  #add({ time, amount, count }: Delta): void {
    if (time > this.#time) this.#writeHistory();
    // should a source's clock have gone back, what comes late counts from the newest change on
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
