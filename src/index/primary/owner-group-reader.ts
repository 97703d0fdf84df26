/** From addresses to owner groups. A read costs O(groups that name one of the addresses), nearly always one each. */
import type { ShortId } from "../../primitives/id.ts";
import type { StoreReader } from "../../store/store.ts";
import { type GroupId, WHOLE_CHAIN } from "./owner-group.ts";
import { groupsByAddress } from "./utxo-tables.ts";

/** Whose UTXOs a query is about: undefined is everybody's, those without owners included. */
export type Owners = readonly ShortId[] | undefined;

/** Groups in which at least as many of the addresses are as it takes to spend. */
export async function spendableGroups(reader: StoreReader, chain: number, owners: Owners): Promise<GroupId[]> {
  if (owners === undefined) return [WHOLE_CHAIN];
  const counted = new Map<GroupId, { found: number; threshold: number }>();
  for (const { groupId, threshold } of await groupRows(reader, chain, owners, { until: { threshold: owners.length + 1 } })) {
    const group = counted.get(groupId);
    if (group === undefined) counted.set(groupId, { found: 1, threshold });
    else group.found++;
  }
  return [...counted].filter(([, { found, threshold }]) => found >= threshold).map(([groupId]) => groupId);
}

/** Groups in which one of the addresses is. */
export async function namedGroups(reader: StoreReader, chain: number, owners: Owners): Promise<GroupId[]> {
  if (owners === undefined) return [WHOLE_CHAIN];
  return [...new Set((await groupRows(reader, chain, owners)).map(({ groupId }) => groupId))];
}

async function groupRows(reader: StoreReader, chain: number, addresses: readonly ShortId[], range: { until?: { threshold: number } } = {}) {
  const ofAddresses = await Promise.all(
    addresses.map((address) => reader.scan(groupsByAddress, { prefix: { chain, address }, ...range, limit: Number.MAX_SAFE_INTEGER })),
  );
  return ofAddresses.flat().map(({ key }) => key);
}

/** Whether an address ever owned something on the chain, or got something by an import from it. */
export async function isKnownOn(reader: StoreReader, chain: number, address: ShortId): Promise<boolean> {
  return (await reader.scan(groupsByAddress, { prefix: { chain, address }, limit: 1 })).length > 0;
}
