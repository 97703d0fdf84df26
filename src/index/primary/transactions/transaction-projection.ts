/**
 * Rows of transactions, for the Data API's lists. A transaction is listed under every address
 * that owns one of its consumed or produced UTXOs. A staking transaction is also listed under the owners of its rewards once these are
 * paid.
 */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import type { RewardEvent } from "../../../chains/platform/events.ts";
import type { PlatformEvent } from "../../../chains/platform/facts.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import { P_CHAIN, X_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { listUnderAddress, writeAddressLists } from "./address-lists.ts";
import { classOf, stakingClasses, transactionClasses } from "./transaction-classes.ts";
import { grouped, ordinalOf, packIds } from "./transaction-order.ts";
import {
  assetTransactions,
  EVM_LIST,
  l1ValidatorAddressTransactions,
  l1ValidatorTransactions,
  stakingPlaces,
  transactionGroups,
  transactionOrder,
} from "./transaction-tables.ts";
import type { TxEffects } from "./tx-effects.ts";

/** The position of a transaction in lists. */
type Place = Pick<TableValue<typeof stakingPlaces>, "class" | "timestamp" | "ordinal">;
type StakerInfo = NonNullable<TableValue<typeof stakingPlaces>["staker"]>;

const { AddAutoRenewedValidatorTx: AUTO_RENEWED } = transactionClasses;

export const transactionProjection: Projection = {
  residentTables: [transactionGroups],

  async fetch(_view, run, fetch) {
    await fetch(run.flatMap((facts) => (facts.chain === P_CHAIN ? facts.facts.events.flatMap(stakingKeys) : [])));
  },

  project(view, facts, txs) {
    if (facts.chain === "shared-memory") return;
    const { chain } = facts;
    const events = facts.chain === P_CHAIN ? facts.facts.events : [];
    const stakers = newStakers(events);
    const validations = touchedValidations(events);
    let group = view.get(transactionGroups, { chain })?.next ?? 0;
    for (const members of grouped(txs)) {
      const { height, timestamp } = members[0]!;
      view.writeUnread(transactionOrder, { chain, timestamp, group }, { height, txIds: packIds(members.map(({ txId }) => txId)) });
      const ofAssets = new AssetPositions();
      for (const [position, tx] of members.entries()) {
        const place = { class: classOf(tx.type), timestamp, ordinal: ordinalOf(group, position) };
        const { addresses, assets } = ownersAndAssets(tx);
        putTransaction(view, tx, place, { addresses, validations: validations.get(tx.txId) ?? [] });
        if (chain === X_CHAIN) ofAssets.add(assets, place.class, position);
        if (chain === P_CHAIN && stakingClasses.includes(place.class)) {
          view.put(stakingPlaces, { txId: tx.txId }, { ...place, staker: stakers.get(tx.txId), listedUnder: undefined });
        }
      }
      ofAssets.write(view, { timestamp, group });
      group++;
    }
    if (txs.length > 0) view.put(transactionGroups, { chain }, { next: group });
    for (const event of events) projectEvent(view, event);
  },

  finish: writeAddressLists,
};

function stakingKeys(event: PlatformEvent): RowKey[] {
  switch (event.kind) {
    case "reward":
    case "staker-promoted":
      return [rowKey(stakingPlaces, { txId: event.staker.txId })];
    case "staker-renewed":
      return [rowKey(stakingPlaces, { txId: event.after.txId })];
    default:
      return [];
  }
}

/** New stakers by their transactions. */
function newStakers(events: readonly PlatformEvent[]): Map<Id, StakerInfo> {
  const stakers = new Map<Id, StakerInfo>();
  for (const event of events) if (event.kind === "staker-added") stakers.set(event.staker.txId, infoOf(event.staker, event));
  return stakers;
}

function infoOf({ startTime: start, endTime: end, potentialReward }: Staker, { isPending }: { isPending: boolean }): StakerInfo {
  return { start, end, potentialReward: isPending ? undefined : potentialReward };
}

/** The L1 validators that each transaction created, changed, or named without effect (such as disabling an inactive one). */
function touchedValidations(events: readonly PlatformEvent[]): Map<Id, Set<Id>> {
  const touched = new Map<Id, Set<Id>>();
  const touch = (txId: Id, validationId: Id) => {
    const validations = touched.get(txId);
    if (validations === undefined) touched.set(txId, new Set([validationId]));
    else validations.add(validationId);
  };
  for (const event of events) {
    if (event.kind === "l1-validator" && event.txId !== undefined) touch(event.txId, event.validationId);
    else if (event.kind === "tx" && event.tx.unsigned.kind === "DisableL1ValidatorTx") touch(event.tx.id, event.tx.unsigned.validationId);
  }
  return touched;
}

/** Which transactions of a group consume or produce an asset, by class. */
class AssetPositions {
  readonly #lists = new Map<string, { readonly assetId: Id; readonly class: number; readonly positions: number[] }>();

  add(assets: Iterable<Id>, ofClass: number, position: number): void {
    for (const assetId of assets) {
      const name = `${ofClass} ${assetId}`;
      const list = this.#lists.get(name);
      if (list === undefined) this.#lists.set(name, { assetId, class: ofClass, positions: [position] });
      else list.positions.push(position);
    }
  }

  write(view: View, place: { readonly timestamp: bigint; readonly group: number }): void {
    for (const { assetId, class: own, positions } of this.#lists.values()) {
      view.writeUnread(assetTransactions, { assetId, class: own, ...place }, { positions: Uint8Array.from(positions) });
    }
  }
}

function putTransaction(
  view: View,
  tx: TxEffects,
  place: Place,
  { addresses, validations }: { readonly addresses: ReadonlySet<ShortId>; readonly validations: Iterable<Id> },
): void {
  for (const address of addresses) listUnderAddress(view, tx.chain, address, place);
  for (const address of new Set(tx.evmAddresses)) listUnderAddress(view, EVM_LIST, address, place);
  for (const validationId of validations) {
    view.writeUnread(l1ValidatorTransactions, { validationId, ...place }, {});
    for (const address of addresses) view.writeUnread(l1ValidatorAddressTransactions, { validationId, address, ...place }, {});
  }
}

function ownersAndAssets({ consumed, produced }: TxEffects): { addresses: Set<ShortId>; assets: Set<Id> } {
  const addresses = new Set<ShortId>();
  const assets = new Set<Id>();
  for (const utxos of [consumed, produced]) {
    for (const { output } of utxos) {
      assets.add(output.assetId);
      for (const address of output.addresses) addresses.add(address);
    }
  }
  return { addresses, assets };
}

function projectEvent(view: View, event: PlatformEvent): void {
  if (event.kind === "staker-promoted") updateStaker(view, event.staker);
  else if (event.kind === "staker-renewed") updateStaker(view, event.after);
  else if (event.kind === "reward") listReward(view, event);
}

function updateStaker(view: View, staker: Staker): void {
  const { txId } = staker;
  const place = view.get(stakingPlaces, { txId });
  if (place !== undefined) view.put(stakingPlaces, { txId }, { ...place, staker: infoOf(staker, { isPending: false }) });
}

/**
 * Rewards of auto-renewed validators are outputs of the transactions that pay them. Other rewards are listed with the staking transaction
 * too.
 */
function listReward(view: View, { staker, utxo }: RewardEvent): void {
  const place = view.get(stakingPlaces, { txId: staker.txId });
  if (place === undefined || place.class === AUTO_RENEWED) return;
  for (const address of utxo.addresses) listUnderAddress(view, P_CHAIN, address, place);
}
