/** Checks the lists of tokens and holders of an EVM chain against the holdings, transfers and tokens that they follow from. */

import type { Change } from "../../base/table/table.ts";
import type { ChainTable } from "../../evm/index/chain-tables.ts";
import { derivedHolders, derivedTokens } from "../../evm/index/derived-holders.ts";
import * as holderTables from "../../evm/index/holder-tables.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import type { Problems } from "./problems.ts";
import { differences } from "./row-differences.ts";

/** rows that are compared at once */
const MOST_ROWS = 1000;

export async function verifyHolders(reader: StoreReader, chain: number, problems: Problems, signal: AbortSignal): Promise<void> {
  const expected = new Map<number, number>();
  const check = async (changes: readonly Change[]): Promise<void> => {
    for (const fault of await differences(reader, changes)) problems.add(`EVM chain ${chain} ${fault}`);
    for (const { table } of changes) expected.set(table.id, (expected.get(table.id) ?? 0) + 1);
  };
  for (const rows of [derivedHolders(reader, chain), derivedTokens(reader, chain)]) {
    try {
      if (!(await checkAll(rows, check, signal))) return;
    } catch (error) {
      problems.add(`EVM chain ${chain} has rows that its tokens cannot be added up from: ${(error as Error).message}`);
      return;
    }
  }
  for (const table of Object.values(holderTables) as ChainTable[]) {
    let found = 0;
    for await (const _ of scanAll(reader, table, { chain })) found++;
    const follow = expected.get(table.id) ?? 0;
    if (found !== follow) problems.add(`EVM chain ${chain} has ${found} rows of ${table.name}, but ${follow} follow from its holdings`);
  }
}

/** Returns whether all rows were checked: false if `signal` was aborted. */
async function checkAll(
  rows: AsyncIterable<Change>,
  check: (changes: readonly Change[]) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  let changes: Change[] = [];
  for await (const change of rows) {
    if (signal.aborted) return false;
    if (changes.push(change) < MOST_ROWS) continue;
    await check(changes);
    changes = [];
  }
  await check(changes);
  return true;
}
