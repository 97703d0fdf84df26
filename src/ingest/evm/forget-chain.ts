/**
 * Removes an EVM chain and all its rows from a store. It is gone for readers with the first commit; its rows follow in bounded ones. Killed in
 * between, the next call goes on: until the last row is gone its number stays taken, under an ID that no chain has.
 */
import { type ChainTable, indexTables, tokenTables } from "../../index/evm/chain-tables.ts";
import { evmChainSettings, evmChainStates, evmChains, evmUpstreams } from "../../index/evm/tables.ts";
import type { Change, TableKey } from "../../primitives/table.ts";
import type { Store } from "../../store/store.ts";
import { findChain } from "./open-chain.ts";

/** rows of a commit */
const MOST_ROWS = 20_000;
/** of a chain that is being removed */
const FORGOTTEN = 0n;
/** what says that the store holds the chain */
const NAMES: readonly ChainTable[] = [evmChainStates, evmChainSettings, evmUpstreams];

const OTHERS = [...indexTables, ...tokenTables].filter(({ id }) => id !== evmChains.id);

/** Whether the store held the chain. */
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

async function removeRows(store: Store, table: ChainTable, chain: number): Promise<void> {
  for (;;) {
    const rows = await store.scan(table, { prefix: { chain }, limit: MOST_ROWS });
    if (rows.length > 0) await store.commit(rows.map(({ key }) => deletion(table, key)));
    if (rows.length < MOST_ROWS) return;
  }
}

function deletion(table: ChainTable, key: TableKey<ChainTable>): Change {
  return { table, key, value: undefined } as Change;
}
