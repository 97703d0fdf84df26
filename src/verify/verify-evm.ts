/**
 * Checks the rows of an EVM chain, which come from its nodes and whose blocks are not kept. Derives again what follows from each block's
 * rows: the lists by address, token, hash and status, sums over transactions, and the effect of transfers on balances; and checks that
 * blocks name their predecessors. What only logs and call traces tell is not checked: creators of contracts, classes of tokens, effects of
 * deposits.
 */

import type { EvmFacts } from "../evm/facts.ts";
import { writeBlockRows } from "../evm/index/block-rows.ts";
import { BlockWriter } from "../evm/index/block-writer.ts";
import { holdingChanges } from "../evm/index/holding-rows.ts";
import {
  evmAddressInternals,
  evmAddressTransactions,
  evmAddressTransfers,
  evmBalances,
  evmBlockHashes,
  evmBlocks,
  evmChainStates,
  evmInputs,
  evmInternals,
  evmTokens,
  evmTokenTransfers,
  evmTransactionHashes,
  evmTransactions,
  evmTransactionsByStatus,
  evmTransfers,
  evmUntraced,
} from "../evm/index/tables.ts";
import type { Row, Table } from "../primitives/table.ts";
import { View } from "../primitives/view.ts";
import { type StoreReader, scanAll } from "../store/store.ts";
import type { Problems } from "./problems.ts";
import { differences } from "./row-differences.ts";
import { storedEvmBlock } from "./stored-evm-block.ts";
import { verifyHolders } from "./verify-evm-holders.ts";
import { verifyHoldings } from "./verify-evm-holdings.ts";

/** Tables whose rows all follow from those of blocks, transactions, transfers and internal transactions. */
const DERIVED: readonly Table[] = [
  evmBlocks,
  evmBlockHashes,
  evmTransactions,
  evmTransactionHashes,
  evmTransactionsByStatus,
  evmInputs,
  evmTransfers,
  evmTokenTransfers,
  evmAddressTransfers,
  evmInternals,
  evmAddressInternals,
  evmAddressTransactions,
  evmUntraced,
];

type Derived = Map<number, number>;

/** Adds the numbers of rows it derives to `derived`, by table. Returns the number of blocks. */
export async function verifyEvmChain(
  reader: StoreReader,
  chain: number,
  { problems, derived, signal }: { problems: Problems; derived: Derived; signal: AbortSignal },
): Promise<number> {
  let previous: Row<typeof evmBlocks> | undefined;
  let count = 0;
  for await (const row of scanAll(reader, evmBlocks, { chain })) {
    if (signal.aborted) return count;
    const place = `block ${row.key.height} of EVM chain ${chain}`;
    for (const fault of await blockFaults(reader, row, previous, derived)) problems.add(`${place} ${fault}`);
    previous = row;
    count++;
  }
  const state = await reader.get(evmChainStates, { chain });
  if (state?.height !== previous?.key.height || state?.hash !== previous?.value.hash) {
    problems.add(`EVM chain ${chain} is at block ${state?.height ?? "none"}, but its last block is ${previous?.key.height ?? "none"}`);
  }
  await verifyHoldings(reader, chain, problems, signal);
  await verifyHolders(reader, chain, problems, signal);
  return count;
}

/** Checks for all chains together that no row exists without a block. */
export function verifyDerivedCounts(counts: ReadonlyMap<number, number>, derived: Derived, problems: Problems): void {
  for (const { id, name } of DERIVED) {
    const [found = 0, expected = 0] = [counts.get(id), derived.get(id)];
    if (found !== expected) problems.add(`${name}: it has ${found} rows, but ${expected} follow from the blocks`);
  }
}

async function blockFaults(
  reader: StoreReader,
  row: Row<typeof evmBlocks>,
  previous: Row<typeof evmBlocks> | undefined,
  derived: Derived,
): Promise<string[]> {
  const { height, chain } = row.key;
  if (previous !== undefined && previous.key.height + 1n !== height) return [`follows block ${previous.key.height}`];
  if (previous !== undefined && previous.value.hash !== row.value.parentHash) return ["does not name the block before it as its parent"];
  let facts: EvmFacts;
  try {
    facts = await storedEvmBlock(reader, row);
  } catch (error) {
    return [(error as Error).message];
  }
  const view = new View();
  const before = previous?.value.cumulativeTransactions ?? 0n;
  writeBlockRows(new BlockWriter(view, undefined), chain, facts, before + BigInt(row.value.txCount));
  const changes = view.drain();
  for (const { table } of changes) derived.set(table.id, (derived.get(table.id) ?? 0) + 1);
  return [...(await differences(reader, changes)), ...(await balanceFaults(reader, chain, facts))];
}

/**
 * Compares the sum of a block's transfers with the balances before and after it. Wrapped tokens are skipped, because their deposits are not
 * kept.
 */
async function balanceFaults(reader: StoreReader, chain: number, facts: EvmFacts): Promise<string[]> {
  const { balances } = holdingChanges(facts);
  const wrapped = new Map<string, boolean>();
  const faults: string[] = [];
  for (const { change, ...holding } of balances) {
    const { token, holder } = holding;
    if (!wrapped.has(token)) wrapped.set(token, (await reader.get(evmTokens, { chain, token }))?.isWrapped ?? false);
    if (wrapped.get(token)) continue;
    const { height } = facts.block;
    const [after, before] = await reader.scan(evmBalances, { prefix: { chain, ...holding }, from: { height }, reverse: true, limit: 2 });
    const isRight = after?.key.height === height && after.value.balance - (before?.value.balance ?? 0n) === change;
    if (!isRight) faults.push(`moves ${change} of token ${token} to ${holder}, which the balances do not show`);
  }
  return faults;
}
