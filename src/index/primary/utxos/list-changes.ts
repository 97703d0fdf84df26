/**
 * Rows for one list of UTXOs. What a UTXO costs depends on the size of its list, spent ones included, which never becomes smaller:
 * - up to MEDIUM, it is in the list in order of time (`packed-list.ts`), which has few rows, and up to SHORT none but its own;
 * - beyond, it also has a row by amount, and is in a list of its class of amount.
 * The whole chain has the latter two from its first UTXO on (its list by time merges the classes).
 */
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import type { PackedList } from "../../packed-list.ts";
import type { Ranges } from "../projection.ts";
import { classListId, WHOLE_CHAIN } from "./owner-group.ts";
import { entryOf, type ListedUtxo, markSpent, openList, unpackUtxos } from "./packed-utxos.ts";
import type { UtxoChange } from "./utxo-ledger.ts";
import { ownerAssets, utxosByAmount } from "./utxo-tables.ts";

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
export class ListChanges {
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
