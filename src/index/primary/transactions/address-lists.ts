/**
 * The transactions of each address, as a run adds to them: a packed list (`packed-list.ts`) of all types, which is one row for nearly all
 * addresses. Once it has parts, each type has a list too.
 */
import type { ShortId } from "../../../base/bytes/id.ts";
import type { TableKey } from "../../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import { type PackedFormat, PackedList, type PackedRow, type Ranges } from "../../packed-list.ts";
import type { Fetch } from "../projection.ts";
import type { OrderPlace } from "./transaction-order.ts";
import { ANY_CLASS, addressLists, addressTransactions } from "./transaction-tables.ts";

const PLACE_BYTES = 8 + 8;
const ENTRY_BYTES = PLACE_BYTES + 1;

export const addressListFormat: PackedFormat<typeof addressTransactions> = {
  table: addressTransactions,
  entryBytes: ENTRY_BYTES,
  placeBytes: PLACE_BYTES,
  short: 64,
  part: 32,
  kinds: [{}],
  kindOf: () => ({}),
  placeOf: placeAt,
  packPlace: (place) => packPlace(place as OrderPlace),
};

export function packPlace({ timestamp, ordinal }: OrderPlace): Buffer {
  const entry = Buffer.allocUnsafe(ENTRY_BYTES);
  entry.writeBigUInt64BE(timestamp);
  entry.writeBigUInt64BE(ordinal, 8);
  return entry;
}

export function placeAt(packed: Buffer, index: number): OrderPlace {
  const at = index * ENTRY_BYTES;
  return { timestamp: packed.readBigUInt64BE(at), ordinal: packed.readBigUInt64BE(at + 8) };
}

export function classAt(packed: Buffer, index: number): number {
  return packed[index * ENTRY_BYTES + PLACE_BYTES]!;
}

/** What a run adds, by view. */
const additions = new WeakMap<View, Map<string, AddressList>>();

/** Adds a transaction to those of an address, unless it is there. `writeAddressLists` makes the rows. */
export function listUnderAddress(view: View, list: number, address: ShortId, place: OrderPlace & { readonly class: number }): void {
  let lists = additions.get(view);
  if (lists === undefined) {
    lists = new Map();
    additions.set(view, lists);
  }
  const name = `${list} ${address}`;
  let own = lists.get(name);
  if (own === undefined) {
    own = new AddressList({ list, address });
    lists.set(name, own);
  }
  const entry = packPlace(place);
  entry[PLACE_BYTES] = place.class;
  own.added.push(entry);
}

export async function writeAddressLists(view: View, fetch: Fetch, ranges: Ranges): Promise<void> {
  const lists = [...(additions.get(view)?.values() ?? [])];
  additions.delete(view);
  await fetch(lists.map(({ rowKey }) => rowKey));
  await fetch(lists.flatMap((list) => list.classKeys(view)));
  for (const list of lists) if (list.hasParts) await list.read(view, ranges);
  for (const list of lists) list.write(view);
}

type ListKey = TableKey<typeof addressLists>;

const NOTHING: PackedRow = { hasParts: false, last: new Uint8Array() };

class AddressList {
  /** in the order in which they are added */
  readonly added: Buffer[] = [];
  readonly #owner: Omit<ListKey, "class">;
  #all!: PackedList;
  readonly #classes = new Map<number, PackedList>();

  constructor(owner: Omit<ListKey, "class">) {
    this.#owner = owner;
  }

  get rowKey(): RowKey {
    return rowKey(addressLists, { ...this.#owner, class: ANY_CLASS });
  }

  /** Rows of the types, if the list has parts. */
  classKeys(view: View): RowKey[] {
    this.#all = this.#open(ANY_CLASS, view);
    if (!this.#all.hasParts) return [];
    return [...this.#byClass().keys()].map((ofClass) => rowKey(addressLists, { ...this.#owner, class: ofClass }));
  }

  /** Call it after `classKeys`. */
  get hasParts(): boolean {
    return this.#all.hasParts;
  }

  async read(view: View, ranges: Ranges): Promise<void> {
    await this.#all.read(ranges, this.added);
    for (const [ofClass, added] of this.#byClass()) {
      const list = this.#open(ofClass, view);
      await list.read(ranges, added);
      this.#classes.set(ofClass, list);
    }
  }

  write(view: View): void {
    for (const entry of this.added) {
      const hadParts = this.#all.hasParts;
      if (!this.#all.add(entry)) continue;
      if (hadParts) this.#addToClass(entry);
      else if (this.#all.hasParts) for (const one of entriesOf(this.#all.all())) this.#addToClass(one);
    }
    for (const [ofClass, list] of [[ANY_CLASS, this.#all] as const, ...this.#classes]) {
      list.write(view);
      view.put(addressLists, { ...this.#owner, class: ofClass }, { hasParts: list.hasParts, last: list.last });
    }
  }

  /** @param view undefined: the list is new */
  #open(ofClass: number, view: View | undefined): PackedList {
    const key = { ...this.#owner, class: ofClass };
    return new PackedList(addressListFormat, key, view?.get(addressLists, key) ?? NOTHING);
  }

  #byClass(): Map<number, Buffer[]> {
    const byClass = new Map<number, Buffer[]>();
    for (const entry of this.added) {
      const ofClass = classAt(entry, 0);
      const known = byClass.get(ofClass);
      if (known === undefined) byClass.set(ofClass, [entry]);
      else known.push(entry);
    }
    return byClass;
  }

  #addToClass(entry: Buffer): void {
    const ofClass = classAt(entry, 0);
    let list = this.#classes.get(ofClass);
    if (list === undefined) {
      list = this.#open(ofClass, undefined);
      this.#classes.set(ofClass, list);
    }
    list.add(entry);
  }
}

function entriesOf(packed: Buffer): Buffer[] {
  return Array.from({ length: packed.length / ENTRY_BYTES }, (_, i) => packed.subarray(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES));
}
