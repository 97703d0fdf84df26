/**
 * Keeps the running sums. An output counts in the seconds after its creation and before its consumption: created at t, it counts from t + 1 on;
 * consumed at t, it stops at t, or never counted. Per run, a sum costs a row for itself and one for each second at which it changed.
 */
import type { TableValue } from "../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../primitives/view.ts";
import { type Place, placesOf } from "./balance-places.ts";
import { balanceHeads, balanceHistory, balanceSums, type Delta, type SumKey } from "./balance-tables.ts";
import { groupsOf } from "./owner-group.ts";
import type { UtxoChange } from "./utxo-ledger.ts";

type Head = TableValue<typeof balanceHeads>;

/** What one change does to one sum. */
interface Posting {
  readonly name: string;
  readonly key: SumKey;
  readonly delta: Delta;
  /** block time: nothing that this stream still brings counts earlier */
  readonly now: bigint;
}

export function balanceKeys(changes: readonly UtxoChange[]): RowKey[] {
  const keys = new Map<string, RowKey>();
  for (const { name, key } of changes.flatMap(postingsOf)) if (!keys.has(name)) keys.set(name, rowKey(balanceHeads, key));
  return [...keys.values()];
}

export function projectBalances(view: View, changes: readonly UtxoChange[]): void {
  const sums = new Map<string, RunningSum>();
  for (const change of changes) {
    for (const posting of postingsOf(change)) {
      let sum = sums.get(posting.name);
      if (sum === undefined) {
        sum = new RunningSum(view, posting.key);
        sums.set(posting.name, sum);
      }
      sum.post(posting.delta, posting.now);
    }
  }
  for (const sum of sums.values()) sum.write();
}

/** The whole chain's sums and the group's. */
function postingsOf(change: UtxoChange): Posting[] {
  const { moment, output } = change;
  const groups = groupsOf(output);
  return moves(change).flatMap(({ place, delta }) =>
    groups.map((groupId) => {
      const { chain, bucket, peer, assetId, isNft, locktime, stakeableLocktime } = place;
      const key = { chain, groupId, bucket, peer, assetId, isNft, locktime, stakeableLocktime, stream: moment.stream };
      return { name: Object.values(key).join(), key, delta, now: moment.timestamp };
    }),
  );
}

function moves({ before, after, output, wasPending, isPending, moment }: UtxoChange): { place: Place; delta: Delta }[] {
  // the right to mint and the like is worth nothing
  if (output.amount === 0n) return [];
  const bornAt = after.timestamp + 1n;
  const enter = (time: bigint) => ({ time, amount: output.amount, count: 1 });
  const leave = (time: bigint) => ({ time, amount: -output.amount, count: -1 });
  const at = (places: Place[], delta: Delta) => places.map((place) => ({ place, delta }));
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
    if (this.#isNothing) this.#time = now;
    this.#settle(now);
    if (delta.time <= now) this.#add(delta);
    else this.#postpone(delta);
  }

  write(): void {
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
    // should a source's clock have gone back, what comes late counts from the newest change on
    this.#time = later(time, this.#time);
    this.#amount += amount;
    this.#count += count;
    this.#view.put(balanceHistory, { ...this.#key, time: this.#time }, { amount: this.#amount, count: this.#count });
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
