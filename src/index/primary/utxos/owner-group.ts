/**
 * Owner groups: all owners of an output, as (threshold, addresses), without the locktime. UTXO lists and sums belong to groups, so a
 * multisig UTXO is counted once when two of its owners are queried. Group IDs are hashes, so nobody can choose one as they could an
 * address.
 */
import { sha256Hex } from "../../../base/bytes/hash.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { EMPTY_SHORT_ID } from "../../../base/bytes/id.ts";
import { Recent } from "../../../base/collections/recent.ts";
import { X_CHAIN } from "../primary-chain.ts";
import type { UtxoBody } from "./utxo-codec.ts";

export type GroupId = ShortId;

/** All UTXOs of a chain, including those without owners. No group's hash is 0. */
export const WHOLE_CHAIN: GroupId = EMPTY_SHORT_ID;

const ID_DIGITS = 40;
const groupIds = new Recent<string, GroupId>(50_000);
const listIds = new Recent<string, ShortId>(50_000);

export function groupId(owners: Pick<UtxoBody, "threshold" | "addresses">): GroupId {
  // most owners are one address, which is looked up as it is
  const name = isSole(owners) ? owners.addresses[0]! : nameOf(owners);
  let hash = groupIds.get(name);
  if (hash === undefined) {
    hash = sha256Hex(Buffer.from(nameOf(owners))).slice(0, ID_DIGITS);
    groupIds.set(name, hash);
  }
  return hash;
}

function nameOf({ threshold, addresses }: Pick<UtxoBody, "threshold" | "addresses">): string {
  return `${threshold} ${addresses.join()}`;
}

/** The group of an address that owns alone. It is found without a row. */
export function soleGroup(address: ShortId): GroupId {
  return groupId({ threshold: 1, addresses: [address] });
}

export function isSole({ threshold, addresses }: Pick<UtxoBody, "threshold" | "addresses">): boolean {
  return threshold === 1 && addresses.length === 1;
}

/** The groups to which a UTXO belongs. */
export function groupsOf(utxo: UtxoBody): GroupId[] {
  return utxo.addresses.length === 0 ? [WHOLE_CHAIN] : [WHOLE_CHAIN, groupId(utxo)];
}

/** All of a group's UTXOs on the X-chain that are not AVAX. */
export const OTHER_ASSETS = "other assets";

/** A group's list on the X-chain for one asset, or for all assets but AVAX. AVAX, and everything on P and C, is in the group's own list. */
export function listId(group: GroupId, scope: Id | typeof OTHER_ASSETS): ShortId {
  return hashed(`${group} ${scope}`);
}

/** A list's part of one class of amount. */
export function classListId(list: ShortId, amountClass: number): ShortId {
  return hashed(`${list} class ${amountClass}`);
}

function hashed(name: string): ShortId {
  let hash = listIds.get(name);
  if (hash === undefined) {
    hash = sha256Hex(Buffer.from(name)).slice(0, ID_DIGITS);
    listIds.set(name, hash);
  }
  return hash;
}

/** The lists of a group that contain a UTXO. */
export function listsOf(group: GroupId, chain: number, assetId: Id, avaxAssetId: Id): ShortId[] {
  if (chain !== X_CHAIN || assetId === avaxAssetId) return [group];
  return [listId(group, OTHER_ASSETS), listId(group, assetId)];
}

/** The lists that together answer a query for one asset or for all. Only the X-chain filters by asset. */
export function listsFor(group: GroupId, chain: number, assetId: Id | undefined, avaxAssetId: Id): ShortId[] {
  if (chain !== X_CHAIN || assetId === avaxAssetId) return [group];
  return assetId === undefined ? [group, listId(group, OTHER_ASSETS)] : [listId(group, assetId)];
}
