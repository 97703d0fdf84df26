/**
 * Removes an EVM chain and all its rows from a store. The first commit hides it from readers; its rows are removed in bounded commits after
 * that. If it is interrupted, the next call continues: the chain keeps its number, under an ID that no chain has, until the last row is
 * gone.
 */

import type { Change, TableKey } from "../../base/table/table.ts";
import type { Store } from "../../store/store.ts";
import { type ChainTable, indexTables, tokenTables } from "../index/chain-tables.ts";
import { evmChainSettings, evmChainStates, evmChains, evmUpstreamNodes, evmUpstreams } from "../index/tables.ts";
import { findChain } from "./open-chain.ts";

/** rows per commit */
const MOST_ROWS = 20_000;
/** ID of a chain that is being removed */
const FORGOTTEN = 0n;
/** rows by which readers find the chain */
const NAMES: readonly ChainTable[] = [evmChainStates, evmChainSettings, evmUpstreams, evmUpstreamNodes];

const OTHERS = [...indexTables, ...tokenTables].filter(({ id }) => id !== evmChains.id);

/** Returns whether the store had the chain. */
export async function forgetChain(store: Store, evmChainId: bigint): Promise<boolean> {
  const { chain, startHeight } = await findChain(store, evmChainId);
  if (startHeight !== undefined) {
    const removed = { table: evmChains, key: { chain }, value: { evmChainId: FORGOTTEN, startHeight } };
    await store.commit([removed as Change, ...NAMES.map((table) => deletion(table, { chain }))]);
  }
  for (let found = await findChain(store, FORGOTTEN); found.startHeight !== undefined; found = await findChain(store, FORGOTTEN)) {
    for (const table of OTHERS) await removeRows(store, table, found.chain);
    await store.commit([deletion(evmChains, { chain: found.chain })]);
  }
  return startHeight !== undefined;
}

export async function removeRows(store: Store, table: ChainTable, chain: number): Promise<void> {
  for (;;) {
    const rows = await store.scan(table, { prefix: { chain }, limit: MOST_ROWS });
    if (rows.length > 0) await store.commit(rows.map(({ key }) => deletion(table, key)));
    if (rows.length < MOST_ROWS) return;
  }
}

function deletion(table: ChainTable, key: TableKey<ChainTable>): Change {
  return { table, key, value: undefined } as Change;
}
