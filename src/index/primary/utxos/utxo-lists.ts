/** Notes which lists of UTXOs a run changes: those of every owner group, and of the whole chain. `list-changes.ts` makes their rows. */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { TableKey } from "../../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../primary-chain.ts";
import type { Ranges } from "../projection.ts";
import type { TxEffects } from "../transactions/tx-effects.ts";
import { ActivityChanges } from "./activity.ts";
import { ListChanges } from "./list-changes.ts";
import { type GroupId, groupId, isSole, listsOf, WHOLE_CHAIN } from "./owner-group.ts";
import type { ListedUtxo } from "./packed-utxos.ts";
import type { UtxoBody } from "./utxo-codec.ts";
import type { UtxoChange } from "./utxo-ledger.ts";
import { groupsByAddress, ownerAssets, ownerGroups } from "./utxo-tables.ts";

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
