/**
 * When an owner group was last active with UTXOs of at least some amount: the newest creation or consumption of such a UTXO. Kept are the
 * activities that no later one of as much or more follows. In their order amounts fall and times rise. The last RECENT are in the group's own
 * row, the others (`earlier_activities`) have a row each, so that an answer costs one row beside the group's. An activity writes one row at most,
 * and removes the rows of those that it follows.
 */

import { MAX_U64 } from "../../../base/bytes/amount.ts";
import type { TableKey, TableValue } from "../../../base/table/table.ts";
import type { View } from "../../../base/table/view.ts";
import { type ScanRange, type StoreReader, sideBySide } from "../../../store/store.ts";
import type { Ranges } from "../../packed-list.ts";
import type { GroupId, UtxoChange } from "./utxo-ledger.ts";
import { earlierActivities, ownerGroups } from "./utxo-tables.ts";

/** Beside a list of SHORT UTXOs the row must stay below half a page. */
export const RECENT = 4;
/** rows that are read at a time */
const PAGE = 64;

type Activity = TableValue<typeof ownerGroups>["activities"][number];
type GroupKey = TableKey<typeof ownerGroups>;
type AmountRange = Pick<ScanRange<typeof earlierActivities>, "from" | "after" | "reverse" | "limit">;

/** The newest activity of any of the groups with a UTXO of at least `minAmount`. */
export async function newestActivity(
  reader: StoreReader,
  chain: number,
  groups: readonly GroupId[],
  minAmount: bigint,
): Promise<Activity | undefined> {
  if (minAmount > MAX_U64) return undefined;
  let newest: Activity | undefined;
  const note = (found: Activity | undefined) => {
    if (found !== undefined && (newest === undefined || found.timestamp > newest.timestamp)) newest = found;
  };
  const keys = groups.map((groupId) => ({ chain, groupId }));
  const rows = await reader.getMany(ownerGroups, keys);
  const isBeyond = (recent: readonly Activity[]) => recent.length === RECENT && recent[0]!.amount < minAmount;
  for (const row of rows) note(row?.activities.findLast(({ amount }) => amount >= minAmount));
  // what is not in a group's own row is older
  const further = keys.filter((_, i) => rows[i] !== undefined && isBeyond(rows[i].activities) && !isOlder(rows[i].activities[0]!, newest));
  const read = (prefix: GroupKey) => reader.scan(earlierActivities, { prefix, from: { amount: minAmount }, limit: 1 });
  for await (const [row] of sideBySide(further, read)) note(row && { amount: row.key.amount, ...row.value });
  return newest;
}

function isOlder({ timestamp }: Activity, newest: Activity | undefined): boolean {
  return newest !== undefined && timestamp < newest.timestamp;
}

/** Undefined: the change is neither a creation nor a consumption. */
function activityOf({ utxoId, before, after, output: { amount } }: UtxoChange): Activity | undefined {
  const { spent, timestamp } = after;
  const isConsumed = spent !== undefined && before?.spent === undefined && spent.timestamp >= timestamp;
  if (before !== undefined && !isConsumed) return undefined;
  return { amount, timestamp: isConsumed ? spent.timestamp : timestamp, utxoId, isConsumed };
}

/** Adds an activity to those that came before it, unless a newer one of as much is among them. Returns whether it was added. */
function add(activities: Activity[], added: Activity): boolean {
  const { amount, timestamp } = added;
  const at = countLarger(activities, amount);
  if (at > 0 && activities[at - 1]!.timestamp > timestamp) return false;
  const next = activities[at];
  if (next !== undefined && next.amount === amount && next.timestamp > timestamp) return false;
  let end = at;
  while (end < activities.length && activities[end]!.timestamp <= timestamp) end++;
  activities.splice(at, end - at, added);
  return true;
}

/** How many have a larger amount. Most of what is added is not the largest, and few come after it. */
function countLarger(activities: readonly Activity[], amount: bigint): number {
  let [low, high] = [0, activities.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (activities[middle]!.amount > amount) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The activities of one owner group in a run. Fetch its row, then call `read`, then `write`. */
export class ActivityChanges {
  readonly #key: GroupKey;
  readonly #noted: Activity[] = [];
  /** rows that the run may remove, or that move into the group's own */
  readonly #rows = new Map<bigint, Activity>();

  constructor(key: GroupKey) {
    this.#key = key;
  }

  note(change: UtxoChange): void {
    const activity = activityOf(change);
    if (activity !== undefined) add(this.#noted, activity);
  }

  /** Returns undefined if there is nothing to wait for, as with most groups. */
  read(recent: readonly Activity[], ranges: Ranges): Promise<void> | undefined {
    // fewer are all that there are
    if (recent.length < RECENT) return undefined;
    const after = [...recent];
    const added = this.#noted.filter((activity) => add(after, activity));
    const deep = added.filter(({ amount }) => amount >= recent[0]!.amount);
    return deep.length === 0 && after.length >= RECENT ? undefined : this.#readRows(ranges, deep);
  }

  /** @param deep those that may follow rows; amounts fall, times rise */
  async #readRows(ranges: Ranges, deep: readonly Activity[]): Promise<void> {
    let lowest: bigint | undefined;
    let followed: bigint | undefined;
    for (const { amount, timestamp } of deep) {
      const isRead = lowest !== undefined && lowest <= amount;
      if (!isRead) await this.#readUntil(ranges, { from: { amount }, limit: 1 }, () => true);
      const below = isRead ? { after: { amount: lowest! } } : { from: { amount } };
      lowest = await this.#readUntil(ranges, { ...below, reverse: true, limit: PAGE }, (row) => row.timestamp > timestamp);
      if (lowest !== undefined) continue;
      followed = amount;
      break;
    }
    // those that take the places of what leaves the group's own row
    let left = 0;
    const isFollowed = (row: Activity) => this.#noted.some(({ amount, timestamp }) => amount >= row.amount && timestamp >= row.timestamp);
    const above = followed === undefined ? {} : { after: { amount: followed } };
    await this.#readUntil(ranges, { ...above, limit: RECENT }, (row) => !isFollowed(row) && ++left === RECENT);
  }

  /** Reads rows up to the first that `isLast` accepts. Returns its amount; undefined if none is. */
  async #readUntil(ranges: Ranges, range: AmountRange, isLast: (row: Activity) => boolean): Promise<bigint | undefined> {
    for (let next = range; ; ) {
      const rows = await ranges.scan(earlierActivities, { ...next, prefix: this.#key });
      for (const { key, value } of rows) {
        const row = { amount: key.amount, ...value };
        this.#rows.set(row.amount, row);
        if (isLast(row)) return row.amount;
      }
      if (rows.length < range.limit) return undefined;
      next = { ...range, from: undefined, after: { amount: rows.at(-1)!.key.amount } };
    }
  }

  /** Writes the rows of earlier activities; returns those of the group's own row. */
  write(view: View, recent: readonly Activity[]): Activity[] {
    const activities = [...[...this.#rows.values()].sort((a, b) => (a.amount > b.amount ? -1 : 1)), ...recent];
    for (const noted of this.#noted) add(activities, noted);
    const earlier = new Set(activities.splice(0, Math.max(activities.length - RECENT, 0)));
    for (const row of this.#rows.values()) if (!earlier.has(row)) this.#put(view, row.amount, undefined);
    for (const activity of earlier) {
      const { amount, ...value } = activity;
      if (this.#rows.get(amount) !== activity) this.#put(view, amount, value);
    }
    return activities;
  }

  #put(view: View, amount: bigint, value: TableValue<typeof earlierActivities> | undefined): void {
    view.writeUnread(earlierActivities, { ...this.#key, amount }, value);
  }
}
