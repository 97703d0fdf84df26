/** Counts how often a chain replaced indexed blocks. */
import type { Change } from "../../base/table/table.ts";
import type { StoreReader } from "../../store/store.ts";
import { evmReorganisations } from "../index/tables.ts";

/** The change for a commit that undoes this many blocks; none if it undoes none. */
export async function reorganisationChanges(reader: StoreReader, chain: number, undone: number): Promise<Change[]> {
  if (undone === 0) return [];
  const { count, blocks, deepest } = (await reader.get(evmReorganisations, { chain })) ?? { count: 0n, blocks: 0n, deepest: 0n };
  const depth = BigInt(undone);
  const value = { count: count + 1n, blocks: blocks + depth, deepest: depth > deepest ? depth : deepest };
  return [{ table: evmReorganisations, key: { chain }, value } as Change];
}
