/** Notes which lists of UTXOs a run changes: those of every owner group, and of the whole chain. `list-changes.ts` makes their rows. */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { TableKey, TableValue } from "../../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { PackedList, Ranges } from "../../packed-list.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../primary-chain.ts";
import type { TxEffects } from "../transactions/tx-effects.ts";
import { ActivityChanges } from "./activity.ts";
import { entryOf, type ListedUtxo, markSpent, openList, type UtxoBody, unpackUtxos } from "./utxo-codec.ts";
import { classListId, type GroupId, groupId, isSole, listsOf, type UtxoChange, WHOLE_CHAIN } from "./utxo-ledger.ts";
import { groupsByAddress, ownerAssets, ownerGroups, utxosByAmount } from "./utxo-tables.ts";

// Rows for one list of UTXOs. The cost of a UTXO depends on the size of its list, spent ones included, which never becomes smaller:
// - up to MEDIUM, it is in the list in order of time (`packed-list.ts`), which has few rows, and up to SHORT none but its own;
// - beyond, it also has a row by amount, and is in a list of its class of amount.
// The whole chain has the latter two from its first UTXO on (its list by time merges the classes).

/** What a page by amount may have to read of each list. */
export const MEDIUM = 768;

/** The number of bits of an amount, 0 for 0. The highest class has the amounts of 63 and of 64 bits. */
export function amountClass(amount: bigint): number {
  const high = Number(amount >> 32n);
  const bits = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(Number(amount & 0xffff_ffffn));
  return Math.min(bits, HIGHEST_CLASS);
}
export const HIGHEST_CLASS = 63;

const CLASS_BITS = Array.from({ length: HIGHEST_CLASS + 1 }, (_, amountClass) => 1n << BigInt(amountClass));

type List = TableValue<typeof ownerAssets>;
const NOTHING: List = { size: 0, amountClasses: 0n, short: new Uint8Array() };

/** One list in a run. Fetch its row, then `classKeys`, then call `read`, then `write`. */
class ListChanges {
  readonly rowKey: RowKey;
  readonly #chain: number;
  readonly #listId: ShortId;
  readonly #created: ListedUtxo[] = [];
  /** consumed in this run, created in an earlier one */
  readonly #spent = new Map<Id, ListedUtxo>();
  #byTime: PackedList | undefined;
  readonly #classes = new Map<number, ClassList>();

  constructor(chain: number, listId: ShortId, rowKey: RowKey) {
    this.#chain = chain;
    this.#listId = listId;
    this.rowKey = rowKey;
  }

  note(utxo: ListedUtxo, { before }: UtxoChange): void {
    if (before === undefined) this.#created.push(utxo);
    else this.#spent.set(utxo.utxoId, utxo);
  }

  classKeys(view: View): RowKey[] {
    if (!this.#isLong(this.#known(view))) return [];
    const classes = new Set([...this.#created, ...this.#spent.values()].map(({ amount }) => amountClass(amount)));
    return [...classes].map((ofClass) => rowKey(ownerAssets, this.#classKey(ofClass)));
  }

  /** Returns undefined if there is nothing to wait for, as with most of the lists of a run. */
  read(view: View, ranges: Ranges): Promise<void> | undefined {
    const known = this.#known(view);
    const isLong = this.#isLong(known);
    if (this.#listId !== WHOLE_CHAIN) this.#byTime = openList(this.#chain, this.#listId, known);
    if (isLong) {
      for (const utxo of this.#created) this.#classOf(view, utxo).created.push(utxo);
      for (const utxo of this.#spent.values()) this.#classOf(view, utxo).spent.push(utxo);
    }
    const becomesLong = !isLong && known.size + this.#created.length > MEDIUM;
    return isLong || this.#byTime?.hasParts ? this.#readParts(ranges, becomesLong) : undefined;
  }

  async #readParts(ranges: Ranges, becomesLong: boolean): Promise<void> {
    if (becomesLong) await this.#byTime?.readAll(ranges, MEDIUM);
    else await this.#byTime?.read(ranges, this.#created.map(entryOf), [...this.#spent.values()].map(entryOf));
    for (const { list, created, spent } of this.#classes.values()) await list.read(ranges, created.map(entryOf), spent.map(entryOf));
  }

  /** Writes the rows of its UTXOs; returns its own. */
  write(view: View): List {
    const known = this.#known(view);
    const wasLong = this.#isLong(known);
    for (const utxo of this.#spent.values()) this.#spend(view, utxo, wasLong);
    let { size } = wasLong ? { size: MEDIUM + 1 } : known;
    for (const utxo of this.#created) {
      this.#byTime?.add(entryOf(utxo));
      if (size > MEDIUM) this.#addByAmount(view, utxo);
      else if (++size > MEDIUM) for (const one of unpackUtxos(this.#byTime!.all())) this.#addByAmount(view, one);
    }
    this.#byTime?.write(view);
    for (const [ofClass, { list, size }] of this.#classes) {
      list.write(view);
      view.put(ownerAssets, this.#classKey(ofClass), { size, amountClasses: 0n, short: list.last });
    }
    const amountClasses = this.#created.reduce((bits, { amount }) => bits | CLASS_BITS[amountClass(amount)]!, known.amountClasses);
    return { size, amountClasses, short: this.#byTime?.last ?? NOTHING.short };
  }

  #known(view: View): List {
    return view.get(this.rowKey.table as typeof ownerAssets, this.rowKey.key as never) ?? NOTHING;
  }

  #isLong({ size }: List): boolean {
    return this.#listId === WHOLE_CHAIN || size > MEDIUM;
  }

  #classKey(ofClass: number) {
    return { chain: this.#chain, listId: classListId(this.#listId, ofClass) };
  }

  /** @param view that has the rows of the classes; undefined if the list was not long, so that there are none */
  #classOf(view: View | undefined, { amount }: ListedUtxo): ClassList {
    const ofClass = amountClass(amount);
    let found = this.#classes.get(ofClass);
    if (found === undefined) {
      const key = this.#classKey(ofClass);
      const known = view?.get(ownerAssets, key) ?? NOTHING;
      found = { list: openList(key.chain, key.listId, known), size: known.size, created: [], spent: [] };
      this.#classes.set(ofClass, found);
    }
    return found;
  }

  #spend(view: View, utxo: ListedUtxo, wasLong: boolean): void {
    this.#byTime?.change(entryOf(utxo), markSpent);
    if (!wasLong) return;
    const { timestamp, utxoId, amount } = utxo;
    const [chain, listId] = [this.#chain, this.#listId];
    this.#classOf(view, utxo).list.change(entryOf(utxo), markSpent);
    view.writeUnread(utxosByAmount, { chain, listId, isSpent: false, amount, utxoId }, undefined);
    view.writeUnread(utxosByAmount, { chain, listId, isSpent: true, amount, utxoId }, { timestamp });
  }

  #addByAmount(view: View, utxo: ListedUtxo): void {
    const { isSpent, timestamp, utxoId, amount } = utxo;
    view.writeUnread(utxosByAmount, { chain: this.#chain, listId: this.#listId, isSpent, amount, utxoId }, { timestamp });
    const ofClass = this.#classOf(undefined, utxo);
    ofClass.list.add(entryOf(utxo));
    ofClass.size = Math.min(ofClass.size + 1, MEDIUM + 1);
  }
}

/** The UTXOs of one class of amount. */
interface ClassList {
  readonly list: PackedList;
  size: number;
  readonly created: ListedUtxo[];
  readonly spent: ListedUtxo[];
}

/** The chains whose lists have the output; for an exported output, both. */
export function chainsOf({ createdOn, consumedOn }: { createdOn: number; consumedOn: number }): number[] {
  return createdOn === consumedOn ? [createdOn] : [createdOn, consumedOn];
}

/** The lists that a run changes. Fetch `keys`, then `classKeys`, then call `read`, then `write`. */
export class UtxoListChanges {
  /** by chain */
  readonly #groups = [P_CHAIN, X_CHAIN, C_CHAIN].map(() => new Map<GroupId, GroupChanges>());

  constructor(changes: readonly UtxoChange[], network: NetworkInstance) {
    const made = new Map<Id, ListedUtxo>();
    for (const change of changes) {
      const { utxoId, before, after, output } = change;
      const isSpent = after.spent !== undefined;
      if (before !== undefined && (before.spent !== undefined || !isSpent)) continue;
      const own = made.get(utxoId);
      // An output that this run both creates and consumes is listed as spent at once.
      if (own !== undefined) own.isSpent = isSpent;
      const utxo = own ?? { utxoId, timestamp: after.timestamp, amount: output.amount, isSpent };
      if (before === undefined) made.set(utxoId, utxo);
      this.#note(change, own === undefined ? utxo : undefined, network);
    }
  }

  get keys(): RowKey[] {
    return this.#all.flatMap(({ lists }) => lists.map(({ rowKey }) => rowKey));
  }

  /** Rows of the lists by class of amount. */
  classKeys(view: View): RowKey[] {
    return this.#all.flatMap(({ lists }) => lists.flatMap((list) => list.classKeys(view)));
  }

  /** Reads the rows that are found by ranges. */
  async read(view: View, ranges: Ranges): Promise<void> {
    for (const group of this.#all) {
      const reading = group.readActivities(view, ranges);
      if (reading !== undefined) await reading;
      for (const list of group.lists) {
        const reading = list.read(view, ranges);
        if (reading !== undefined) await reading;
      }
    }
  }

  write(view: View): void {
    for (const group of this.#all) group.write(view);
  }

  get #all(): GroupChanges[] {
    return this.#groups.flatMap((groups) => [...groups.values()]);
  }

  #note(change: UtxoChange, utxo: ListedUtxo | undefined, network: NetworkInstance): void {
    const { groups, after, output } = change;
    for (const chain of chainsOf(after)) {
      const ofChain = this.#groups[chain]!;
      for (const group of groups) {
        let noted = ofChain.get(group);
        if (noted === undefined) {
          noted = new GroupChanges({ chain, groupId: group }, output);
          ofChain.set(group, noted);
        }
        noted.note(change);
        if (utxo === undefined) continue;
        for (const listId of listsOf(group, chain, output.assetId, network.avaxAssetId)) noted.list(listId).note(utxo, change);
      }
    }
  }
}

/** One owner group's lists in a run, and its activities. */
class GroupChanges {
  readonly #key: TableKey<typeof ownerGroups>;
  readonly #owner: UtxoBody;
  readonly #own: ListChanges;
  readonly #others = new Map<ShortId, ListChanges>();
  readonly #activities: ActivityChanges;

  constructor(key: TableKey<typeof ownerGroups>, owner: UtxoBody) {
    this.#key = key;
    this.#owner = owner;
    this.#own = new ListChanges(key.chain, key.groupId, rowKey(ownerGroups, key));
    this.#activities = new ActivityChanges(key);
  }

  /** the group's own list first */
  get lists(): ListChanges[] {
    return [this.#own, ...this.#others.values()];
  }

  list(listId: ShortId): ListChanges {
    const { chain, groupId } = this.#key;
    if (listId === groupId) return this.#own;
    let list = this.#others.get(listId);
    if (list === undefined) {
      list = new ListChanges(chain, listId, rowKey(ownerAssets, { chain, listId }));
      this.#others.set(listId, list);
    }
    return list;
  }

  note(change: UtxoChange): void {
    this.#activities.note(change);
  }

  readActivities(view: View, ranges: Ranges): Promise<void> | undefined {
    return this.#activities.read(view.get(ownerGroups, this.#key)?.activities ?? [], ranges);
  }

  write(view: View): void {
    const known = view.get(ownerGroups, this.#key);
    if (known === undefined && this.#key.groupId !== WHOLE_CHAIN && !isSole(this.#owner)) nameGroup(view, this.#key.chain, this.#owner);
    const activities = this.#activities.write(view, known?.activities ?? []);
    view.put(ownerGroups, this.#key, { activities, ...this.#own.write(view) });
    for (const list of this.#others.values()) view.put(ownerAssets, list.rowKey.key as TableKey<typeof ownerAssets>, list.write(view));
  }
}

function nameGroup(view: View, chain: number, { threshold, addresses }: UtxoBody): void {
  const group = groupId({ threshold, addresses });
  for (const address of addresses) view.put(groupsByAddress, { chain, address, threshold, groupId: group }, {});
}

/** Lists the recipients of an import on the source chain too, even if they never owned anything there: they were active on it. */
export function projectImports(view: View, effects: readonly TxEffects[]): void {
  for (const { type, consumed, produced } of effects) {
    if (type !== "ImportTx") continue;
    const sources = new Set(consumed.map(({ record }) => record.createdOn));
    for (const chain of sources) for (const { output } of produced) nameGroup(view, chain, output);
  }
}
