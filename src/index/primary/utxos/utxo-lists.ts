/**
 * Rows for lists of UTXOs, of every owner group and of the whole chain. What a UTXO costs depends on the size of its list, spent ones
 * included, which never becomes smaller:
 * - up to SHORT, the list is a column of its own row;
 * - up to MEDIUM, each UTXO has a row in order of time, and consuming it moves that row;
 * - beyond, each has two more, by amount and by class of amount.
 * The whole chain has the latter two from its first UTXO on (its list by time merges the classes).
 */
import type { NetworkInstance } from "../../../network/network.ts";
import type { Id, ShortId } from "../../../primitives/id.ts";
import type { Row, TableKey, TableValue } from "../../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../../primitives/view.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../primary-chain.ts";
import type { Ranges } from "../projection.ts";
import type { TxEffects } from "../transactions/tx-effects.ts";
import { type GroupId, groupId, isSole, listsOf, WHOLE_CHAIN } from "./owner-group.ts";
import { type ListedUtxo, packShortList, unpackShortList } from "./short-list.ts";
import type { UtxoBody } from "./utxo-codec.ts";
import type { UtxoChange } from "./utxo-ledger.ts";
import { groupsByAddress, ownerAssets, ownerGroups, utxosByAmount, utxosByClass, utxosByTime } from "./utxo-tables.ts";

/** The row stays below half a page of the store, beyond which it would take pages of its own. */
export const SHORT = 32;
/** What a page by amount may have to read of each list. */
export const MEDIUM = 768;

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

/** The lists that a run changes. Fetch `keys`, then call `readGrown`, then `write`. */
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

  /** Reads the rows of lists that become long. */
  async readGrown(view: View, ranges: Ranges): Promise<void> {
    for (const { lists } of this.#all) for (const list of lists) await list.readGrown(view, ranges);
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

type OwnerGroup = TableValue<typeof ownerGroups>;
type Activity = Pick<OwnerGroup, "lastActivity" | "utxoId" | "isConsumed">;

/** One owner group's lists in a run, and its newest activity. */
class GroupChanges {
  readonly #key: TableKey<typeof ownerGroups>;
  readonly #owner: UtxoBody;
  readonly #own: ListChanges;
  readonly #others = new Map<ShortId, ListChanges>();
  #activity: Activity | undefined;

  constructor(key: TableKey<typeof ownerGroups>, owner: UtxoBody) {
    this.#key = key;
    this.#owner = owner;
    this.#own = new ListChanges(key.chain, key.groupId, rowKey(ownerGroups, key));
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

  note({ utxoId, after }: UtxoChange): void {
    const isConsumed = after.spent !== undefined && after.spent.timestamp >= after.timestamp;
    const time = isConsumed ? after.spent!.timestamp : after.timestamp;
    if (this.#activity === undefined || time >= this.#activity.lastActivity) {
      this.#activity = { lastActivity: time, utxoId, isConsumed };
    }
  }

  write(view: View): void {
    const known = view.get(ownerGroups, this.#key);
    if (known === undefined && this.#key.groupId !== WHOLE_CHAIN && !isSole(this.#owner)) nameGroup(view, this.#key.chain, this.#owner);
    const noted = this.#activity!;
    const { lastActivity, utxoId, isConsumed } = known !== undefined && known.lastActivity > noted.lastActivity ? known : noted;
    view.put(ownerGroups, this.#key, { ...this.#own.write(view), lastActivity, utxoId, isConsumed });
    for (const list of this.#others.values()) view.put(ownerAssets, list.rowKey.key as TableKey<typeof ownerAssets>, list.write(view));
  }
}

type List = Pick<OwnerGroup, "size" | "amountClasses" | "short">;
const NOTHING: List = { size: 0, amountClasses: 0n, short: new Uint8Array() };

/** One list in a run. */
class ListChanges {
  readonly rowKey: RowKey;
  readonly #chain: number;
  readonly #listId: ShortId;
  readonly #created: ListedUtxo[] = [];
  /** consumed in this run, created in an earlier one */
  readonly #moved = new Map<Id, ListedUtxo>();
  /** what a medium list that becomes long has */
  #stored: readonly ListedUtxo[] = [];

  constructor(chain: number, listId: ShortId, rowKey: RowKey) {
    this.#chain = chain;
    this.#listId = listId;
    this.rowKey = rowKey;
  }

  note(utxo: ListedUtxo, { before }: UtxoChange): void {
    if (before === undefined) this.#created.push(utxo);
    else this.#moved.set(utxo.utxoId, utxo);
  }

  async readGrown(view: View, ranges: Ranges): Promise<void> {
    const { size } = this.#known(view);
    if (size <= SHORT || size > MEDIUM || this.#sizeAfter(size) <= MEDIUM) return;
    const rows = await ranges.scan(utxosByTime, { prefix: { chain: this.#chain, listId: this.#listId }, limit: MEDIUM });
    this.#stored = rows.map(listedUtxo);
  }

  /** Writes the rows of its UTXOs; returns its own. */
  write(view: View): List {
    const known = this.#known(view);
    const size = this.#sizeAfter(known.size);
    const amountClasses = this.#created.reduce((bits, { amount }) => bits | CLASS_BITS[amountClass(amount)]!, known.amountClasses);
    const wasShort = known.size <= SHORT;
    const short = wasShort ? unpackShortList(known.short).map((utxo) => this.#moved.get(utxo.utxoId) ?? utxo) : [];
    if (size <= SHORT) return { size, amountClasses, short: packShortList([...short, ...this.#created]) };
    const [wasLong, isLong] = [known.size > MEDIUM, size > MEDIUM];
    for (const utxo of [...short, ...this.#created]) this.#put(view, utxo, isLong);
    if (wasShort) return { size, amountClasses, short: NOTHING.short };
    for (const utxo of this.#stored) if (!this.#moved.has(utxo.utxoId)) this.#putByAmount(view, utxo);
    for (const utxo of this.#moved.values()) {
      this.#remove(view, utxo, wasLong);
      this.#put(view, utxo, isLong);
    }
    // the row as it is need not be written
    return size === known.size && amountClasses === known.amountClasses ? known : { ...known, size, amountClasses };
  }

  #known(view: View): List {
    return view.get(this.rowKey.table as typeof ownerGroups, this.rowKey.key as never) ?? NOTHING;
  }

  /** A long list's size is not counted on. */
  #sizeAfter(before: number): number {
    return this.#listId === WHOLE_CHAIN ? MEDIUM + 1 : Math.min(before + this.#created.length, MEDIUM + 1);
  }

  #put(view: View, utxo: ListedUtxo, isLong: boolean): void {
    const { isSpent, timestamp, utxoId, amount } = utxo;
    const [chain, listId] = [this.#chain, this.#listId];
    if (listId !== WHOLE_CHAIN) view.writeUnread(utxosByTime, { chain, listId, isSpent, timestamp, utxoId }, { amount });
    if (isLong) this.#putByAmount(view, utxo);
  }

  /** What has moved was unspent before. */
  #remove(view: View, utxo: ListedUtxo, wasLong: boolean): void {
    const { timestamp, utxoId, amount } = utxo;
    const [chain, listId, isSpent] = [this.#chain, this.#listId, false];
    if (listId !== WHOLE_CHAIN) view.writeUnread(utxosByTime, { chain, listId, isSpent, timestamp, utxoId }, undefined);
    if (!wasLong) return;
    view.writeUnread(utxosByAmount, { chain, listId, isSpent, amount, utxoId }, undefined);
    view.writeUnread(utxosByClass, { chain, listId, isSpent, amountClass: amountClass(amount), timestamp, utxoId }, undefined);
  }

  #putByAmount(view: View, { isSpent, timestamp, utxoId, amount }: ListedUtxo): void {
    const [chain, listId] = [this.#chain, this.#listId];
    view.writeUnread(utxosByAmount, { chain, listId, isSpent, amount, utxoId }, { timestamp });
    view.writeUnread(utxosByClass, { chain, listId, isSpent, amountClass: amountClass(amount), timestamp, utxoId }, { amount });
  }
}

export function listedUtxo({ key: { timestamp, utxoId, isSpent }, value: { amount } }: Row<typeof utxosByTime>): ListedUtxo {
  return { utxoId, timestamp, amount, isSpent };
}

const CLASS_BITS = Array.from({ length: HIGHEST_CLASS + 1 }, (_, amountClass) => 1n << BigInt(amountClass));

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
