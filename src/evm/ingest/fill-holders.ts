/**
 * Makes the lists of tokens and holders of a chain that an older Firn indexed without them, from the rows that it left. Nothing may index
 * the chain meanwhile. If it is interrupted, the next call begins again; until the last commit the chain counts as having no lists.
 */
import type { Change } from "../../primitives/table.ts";
import type { Store } from "../../store/store.ts";
import { derivedHolders, derivedTokens } from "../index/derived-holders.ts";
import * as holderTables from "../index/holder-tables.ts";
import { evmHolderTips } from "../index/holder-tables.ts";
import { evmChainStates } from "../index/tables.ts";
import { removeRows } from "./forget-chain.ts";

/** rows per commit */
const MOST_ROWS = 20_000;

interface FillOptions {
  readonly signal?: AbortSignal;
  /** called if there is something to do */
  readonly onStart?: () => void;
}

/** Returns whether the lists are complete: false if `signal` was aborted. */
export async function fillHolders(store: Store, chain: number, { signal, onStart }: FillOptions = {}): Promise<boolean> {
  const [state, tip] = await Promise.all([store.get(evmChainStates, { chain }), store.get(evmHolderTips, { chain })]);
  if (state?.hash === tip?.hash) return true;
  onStart?.();
  // the tip comes first, so that what is left never counts as complete
  for (const table of Object.values(holderTables)) await removeRows(store, table, chain);
  if (state === undefined) return true;
  for (const rows of [derivedHolders, derivedTokens]) {
    if (!(await commitAll(store, rows(store, chain), signal))) return false;
  }
  await store.commit([{ table: evmHolderTips, key: { chain }, value: { hash: state.hash } } as Change]);
  return true;
}

async function commitAll(store: Store, rows: AsyncIterable<Change>, signal: AbortSignal | undefined): Promise<boolean> {
  let changes: Change[] = [];
  for await (const change of rows) {
    if (signal?.aborted) return false;
    if (changes.push(change) < MOST_ROWS) continue;
    await store.commit(changes);
    changes = [];
  }
  await store.commit(changes);
  return !signal?.aborted;
}
