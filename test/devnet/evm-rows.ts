/**
 * All rows in the index of EVM chains that follow from blocks; rows from contracts' answers are left out, because those depend on when they
 * were asked.
 */

import type { Table } from "../../src/base/table/table.ts";
import { indexTables as all } from "../../src/evm/index/chain-tables.ts";
import { evmChainSettings, evmUpstreamNodes, evmUpstreams } from "../../src/evm/index/tables.ts";
import { type Store, type StoreReader, scanAll } from "../../src/store/store.ts";

const ABOUT_UPSTREAMS: ReadonlySet<Table> = new Set<Table>([evmUpstreams, evmUpstreamNodes, evmChainSettings]);

export function indexTables(): Table[] {
  return (all as readonly Table[]).filter((table) => !ABOUT_UPSTREAMS.has(table));
}

/** In order, by table. */
export async function indexRows(reader: StoreReader): Promise<Map<string, unknown[]>> {
  const rows = new Map<string, unknown[]>();
  for (const table of indexTables()) {
    const found: unknown[] = [];
    for await (const row of scanAll(reader, table)) found.push(row);
    rows.set(table.name, found);
  }
  return rows;
}

/** As a Firn left its store that knew nothing of the index. */
export async function forgetIndex(store: Store): Promise<void> {
  for (const table of indexTables()) await store.clear(table);
}
