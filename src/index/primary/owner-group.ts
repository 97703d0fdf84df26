/**
 * Owner groups: everybody who owns an output, as (threshold, addresses), without the locktime. UTXO lists and sums belong to groups, so a
 * multisig UTXO asked for by two of its owners is counted once. IDs are hashes, not addresses: an address is free to choose.
 */
import { sha256Hex } from "../../primitives/hash.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { EMPTY_SHORT_ID } from "../../primitives/id.ts";
import { Recent } from "../../primitives/recent.ts";
import { X_CHAIN } from "./primary-chain.ts";
import type { UtxoBody } from "./utxo-codec.ts";

export type GroupId = ShortId;

/** All UTXOs of a chain, those without owners included. No hash is 0. */
export const WHOLE_CHAIN: GroupId = EMPTY_SHORT_ID;

const ID_DIGITS = 40;
const groupIds = new Recent<string, GroupId>(50_000);
const listIds = new Recent<string, ShortId>(50_000);

export function groupId({ threshold, addresses }: Pick<UtxoBody, "threshold" | "addresses">): GroupId {
  const name = `${threshold} ${addresses.join()}`;
  let hash = groupIds.get(name);
  if (hash === undefined) {
    hash = sha256Hex(Buffer.from(name)).slice(0, ID_DIGITS);
    groupIds.set(name, hash);
  }
  return hash;
}

/** The groups that a UTXO belongs to. */
export function groupsOf(utxo: UtxoBody): GroupId[] {
  return utxo.addresses.length === 0 ? [WHOLE_CHAIN] : [WHOLE_CHAIN, groupId(utxo)];
}

/** All of a group's UTXOs that are not AVAX, on the X-chain. */
export const OTHER_ASSETS = "other assets";

/** What of a group's UTXOs on the X-chain is of one asset, or no AVAX. AVAX itself, and everything on P and C, is the group's own list. */
export function listId(group: GroupId, scope: Id | typeof OTHER_ASSETS): ShortId {
  const name = `${group} ${scope}`;
  let hash = listIds.get(name);
  if (hash === undefined) {
    hash = sha256Hex(Buffer.from(name)).slice(0, ID_DIGITS);
    listIds.set(name, hash);
  }
  return hash;
}

/** The lists of a group that a UTXO is in. */
export function listsOf(group: GroupId, chain: number, assetId: Id, avaxAssetId: Id): ShortId[] {
  if (chain !== X_CHAIN || assetId === avaxAssetId) return [group];
  return [listId(group, OTHER_ASSETS), listId(group, assetId)];
}

/** The lists that together are all that a query asks for: of one asset, or of all. Only the X-chain filters by asset. */
export function listsFor(group: GroupId, chain: number, assetId: Id | undefined, avaxAssetId: Id): ShortId[] {
  if (chain !== X_CHAIN || assetId === avaxAssetId) return [group];
  return assetId === undefined ? [group, listId(group, OTHER_ASSETS)] : [listId(group, assetId)];
}
