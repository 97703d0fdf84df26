/** Rows of staking transactions whose staker is active or pending. */
import type { Id, ShortId } from "../../../primitives/id.ts";
import type { View } from "../../../primitives/view.ts";
import { stakingListScope } from "./staking-scope.ts";
import { stakingListings, stakingLists } from "./staking-tables.ts";

/** The position of a transaction in its chain's lists. */
export interface Listing {
  /** defined in `transaction-classes.ts` */
  readonly class: number;
  readonly timestamp: bigint;
  readonly height: bigint;
  readonly index: number;
  /** the addresses of its UTXOs */
  readonly addresses: ShortId[];
}

export function listStaking(view: View, txId: Id, listing: Listing): void {
  const { timestamp, height, index } = listing;
  view.put(stakingListings, { txId }, listing);
  for (const scope of scopesOf(listing)) view.put(stakingLists, { scope, timestamp, height, index }, { txId });
}

export function unlistStaking(view: View, txId: Id): void {
  const listing = view.get(stakingListings, { txId });
  if (listing === undefined) return;
  const { timestamp, height, index } = listing;
  view.delete(stakingListings, { txId });
  for (const scope of scopesOf(listing)) view.delete(stakingLists, { scope, timestamp, height, index });
}

function scopesOf({ class: type, addresses }: Listing): ShortId[] {
  return [stakingListScope(type), ...addresses.map((address) => stakingListScope(type, address))];
}
