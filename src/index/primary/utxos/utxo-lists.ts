/**
 * Rows for lists of UTXOs, of every owner group and of the whole chain. An output makes three rows per list, and consuming it moves them.
 * The whole chain has two rows (its list by time merges the classes). A group costs one more row per run.
 */
import type { NetworkInstance } from "../../../network/network.ts";
import type { Id, ShortId } from "../../../primitives/id.ts";
import type { TableKey, TableValue } from "../../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../../primitives/view.ts";
import type { TxEffects } from "../transactions/tx-effects.ts";
import { type GroupId, groupId, listsOf, WHOLE_CHAIN } from "./owner-group.ts";
import { decodeOutput, type UtxoBody } from "./utxo-codec.ts";
import type { UtxoChange } from "./utxo-ledger.ts";
import { groupsByAddress, ownerGroups, utxosByAmount, utxosByClass, utxosByTime } from "./utxo-tables.ts";

/** The number of bits of an amount, 0 for 0. The highest class has the amounts of 63 and of 64 bits. */
export function amountClass(amount: bigint): number {
  const high = Number(amount >> 32n);
  const bits = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(Number(amount & 0xffff_ffffn));
  return Math.min(bits, HIGHEST_CLASS);
}
export const HIGHEST_CLASS = 63;

/** The chains whose lists have the output; for an exported output, both. */
export function chainsOf({ createdOn, consumedOn }: { createdOn: number; consumedOn: number }): number[] {
  return createdOn === consumedOn ? [createdOn] : [createdOn, consumedOn];
}

export function utxoListKeys(changes: readonly UtxoChange[]): RowKey[] {
  const keys = new Map<string, RowKey>();
  for (const { groups, after } of changes) {
    for (const group of groups) {
      for (const chain of chainsOf(after)) {
        const name = `${chain}${group}`;
        if (!keys.has(name)) keys.set(name, rowKey(ownerGroups, { chain, groupId: group }));
      }
    }
  }
  return [...keys.values()];
}

export function projectUtxoLists(view: View, changes: readonly UtxoChange[], network: NetworkInstance): void {
  const shortLived = shortLivedOf(changes);
  const activities = new Activities(view);
  for (const change of changes) {
    const { utxoId, before, after, output, groups } = change;
    const isMoved = before !== undefined && before.spent === undefined && after.spent !== undefined;
    if (before !== undefined && !isMoved) continue;
    // An output that this run both creates and consumes is listed as spent at once.
    const isListed = before !== undefined || after.spent !== undefined || !shortLived.has(utxoId);
    const wasListed = isMoved && !shortLived.has(utxoId);
    for (const group of groups) {
      for (const chain of chainsOf(after)) {
        for (const list of listsOf(group, chain, output.assetId, network.avaxAssetId)) {
          if (wasListed) removeFromLists(view, change, chain, list);
          if (isListed) putIntoLists(view, change, chain, list);
        }
        activities.note(change, chain, group);
      }
    }
  }
  activities.write();
}

/** UTXOs that these changes both create and consume. */
function shortLivedOf(changes: readonly UtxoChange[]): Set<Id> {
  const made = new Set<Id>();
  const shortLived = new Set<Id>();
  for (const { utxoId, before, after } of changes) {
    if (before === undefined) made.add(utxoId);
    else if (after.spent !== undefined && made.has(utxoId)) shortLived.add(utxoId);
  }
  return shortLived;
}

function putIntoLists(view: View, { utxoId, output: { amount }, after }: UtxoChange, chain: number, listId: ShortId): void {
  const { timestamp } = after;
  const list = { chain, listId, isSpent: after.spent !== undefined };
  if (listId !== WHOLE_CHAIN) view.writeUnread(utxosByTime, { ...list, timestamp, utxoId }, {});
  view.writeUnread(utxosByAmount, { ...list, amount, utxoId }, { timestamp });
  view.writeUnread(utxosByClass, { ...list, amountClass: amountClass(amount), timestamp, utxoId }, { amount });
}

function removeFromLists(view: View, { utxoId, output: { amount }, after }: UtxoChange, chain: number, listId: ShortId): void {
  const { timestamp } = after;
  const list = { chain, listId, isSpent: false };
  if (listId !== WHOLE_CHAIN) view.writeUnread(utxosByTime, { ...list, timestamp, utxoId }, undefined);
  view.writeUnread(utxosByAmount, { ...list, amount, utxoId }, undefined);
  view.writeUnread(utxosByClass, { ...list, amountClass: amountClass(amount), timestamp, utxoId }, undefined);
}

type OwnerGroup = TableValue<typeof ownerGroups>;

/** Rows of the owner groups of a run; each is written once. */
class Activities {
  readonly #view: View;
  readonly #groups = new Map<string, { readonly key: TableKey<typeof ownerGroups>; value: OwnerGroup }>();

  constructor(view: View) {
    this.#view = view;
  }

  note({ utxoId, output, after }: UtxoChange, chain: number, groupId: GroupId): void {
    const name = `${chain}${groupId}`;
    const noted = this.#groups.get(name);
    const known = noted?.value ?? this.#view.get(ownerGroups, { chain, groupId });
    if (known === undefined && groupId !== WHOLE_CHAIN) nameGroup(this.#view, chain, output);
    const isConsumed = after.spent !== undefined && after.spent.timestamp >= after.timestamp;
    const time = isConsumed ? after.spent!.timestamp : after.timestamp;
    const amountClasses = (known?.amountClasses ?? 0n) | CLASS_BITS[amountClass(output.amount)]!;
    const isNewest = known === undefined || time >= known.lastActivity;
    const value = isNewest ? { lastActivity: time, utxoId, isConsumed, amountClasses } : { ...known, amountClasses };
    if (noted === undefined) this.#groups.set(name, { key: { chain, groupId }, value });
    else noted.value = value;
  }

  write(): void {
    for (const { key, value } of this.#groups.values()) this.#view.put(ownerGroups, key, value);
  }
}

const CLASS_BITS = Array.from({ length: HIGHEST_CLASS + 1 }, (_, amountClass) => 1n << BigInt(amountClass));

function nameGroup(view: View, chain: number, { threshold, addresses }: UtxoBody): void {
  const group = groupId({ threshold, addresses });
  for (const address of addresses) view.put(groupsByAddress, { chain, address, threshold, groupId: group }, {});
}

/** Lists the recipients of an import on the source chain too, even if they never owned anything there: they were active on it. */
export function projectImports(view: View, effects: readonly TxEffects[], network: NetworkInstance): void {
  for (const { type, consumed, produced } of effects) {
    if (type !== "ImportTx") continue;
    const sources = new Set(consumed.map(({ record }) => record.createdOn));
    for (const chain of sources) for (const { record } of produced) nameGroup(view, chain, decodeOutput(record, network));
  }
}
