/** Finds the owner groups of addresses. A read costs O(groups that name one of the addresses), nearly always one per address. */

import type { ShortId } from "../../../base/bytes/id.ts";
import type { TableKey } from "../../../base/table/table.ts";
import { type StoreReader, sideBySide } from "../../../store/store.ts";
import { type GroupId, soleGroup, WHOLE_CHAIN } from "./utxo-ledger.ts";
import { groupsByAddress, ownerGroups } from "./utxo-tables.ts";

/** The owners that a query asks for; undefined: everybody, including UTXOs without owners. */
export type Owners = readonly ShortId[] | undefined;

/** Groups whose threshold the addresses can meet. Those of one address alone may never have had a UTXO. */
export async function spendableGroups(reader: StoreReader, chain: number, owners: Owners): Promise<GroupId[]> {
  if (owners === undefined) return [WHOLE_CHAIN];
  const counted = new Map<GroupId, { found: number; threshold: number }>();
  for (const { groupId, threshold } of await groupRows(reader, chain, owners, { until: { threshold: owners.length + 1 } })) {
    const group = counted.get(groupId);
    if (group === undefined) counted.set(groupId, { found: 1, threshold });
    else group.found++;
  }
  const met = [...counted].filter(([, { found, threshold }]) => found >= threshold).map(([groupId]) => groupId);
  return [...new Set([...owners.map(soleGroup), ...met])];
}

/** Groups that name one of the addresses. Those of one address alone may never have had a UTXO. */
export async function namedGroups(reader: StoreReader, chain: number, owners: Owners): Promise<GroupId[]> {
  if (owners === undefined) return [WHOLE_CHAIN];
  const named = (await groupRows(reader, chain, owners)).map(({ groupId }) => groupId);
  return [...new Set([...owners.map(soleGroup), ...named])];
}

async function groupRows(reader: StoreReader, chain: number, addresses: readonly ShortId[], range: { until?: { threshold: number } } = {}) {
  const keys: TableKey<typeof groupsByAddress>[] = [];
  const read = (address: ShortId) => reader.scan(groupsByAddress, { prefix: { chain, address }, ...range, limit: Number.MAX_SAFE_INTEGER });
  for await (const rows of sideBySide(addresses, read)) for (const { key } of rows) keys.push(key);
  return keys;
}

/** Whether an address ever owned a UTXO on the chain, or received one that was imported from it. */
export async function isKnownOn(reader: StoreReader, chain: number, address: ShortId): Promise<boolean> {
  if ((await reader.get(ownerGroups, { chain, groupId: soleGroup(address) })) !== undefined) return true;
  return (await reader.scan(groupsByAddress, { prefix: { chain, address }, limit: 1 })).length > 0;
}
