/** Rows of staking transactions whose staker is active or pending. */
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { View } from "../../../base/table/view.ts";
import { stakingPlaces } from "../transactions/transaction-tables.ts";
import { stakingListScope } from "./staking-scope.ts";
import { stakingLists } from "./staking-tables.ts";

type StakingPlace = TableValue<typeof stakingPlaces>;

/** @param addresses those of the transaction's UTXOs */
export function listStaking(view: View, txId: Id, addresses: ShortId[]): void {
  const place = placeOf(view, txId);
  view.put(stakingPlaces, { txId }, { ...place, listedUnder: addresses });
  for (const key of keysOf(place, addresses)) view.put(stakingLists, key, {});
}

export function unlistStaking(view: View, txId: Id): void {
  const place = view.get(stakingPlaces, { txId });
  if (place?.listedUnder === undefined) return;
  view.put(stakingPlaces, { txId }, { ...place, listedUnder: undefined });
  for (const key of keysOf(place, place.listedUnder)) view.delete(stakingLists, key);
}

/** The transaction's own projection writes the row first. */
function placeOf(view: View, txId: Id): StakingPlace {
  const place = view.get(stakingPlaces, { txId });
  if (place === undefined) throw new Error(`the staking transaction ${txId} has no place in the lists of transactions`);
  return place;
}

function keysOf({ class: type, timestamp, ordinal }: StakingPlace, addresses: readonly ShortId[]) {
  const scopes = [stakingListScope(type), ...addresses.map((address) => stakingListScope(type, address))];
  return scopes.map((scope) => ({ scope, timestamp, ordinal }));
}
