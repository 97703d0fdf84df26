/**
 * Checks the rows of an EVM chain, which come from its nodes and whose blocks are not kept. Derives again what follows from each block's
 * rows: the lists by address, token, hash and status, sums over transactions, and the effect of transfers on balances; and checks that
 * blocks name their predecessors. Facts that only logs and call traces show are not checked: creators of contracts, classes of tokens, effects of
 * deposits.
 */

import type { Change, Row, Table } from "../../base/table/table.ts";
import { View } from "../../base/table/view.ts";
import type { EvmFacts } from "../../evm/facts.ts";
import { writeBlockRows } from "../../evm/index/block-rows.ts";
import { BlockWriter } from "../../evm/index/block-writer.ts";
import { holdingChanges } from "../../evm/index/holding-rows.ts";
import { listEntries, writeLists } from "../../evm/index/list-rows.ts";
import { evmLists, evmLogData, evmLogRanges, evmLogs } from "../../evm/index/log-tables.ts";
import { windowOf } from "../../evm/index/postings.ts";
import {
  evmAddressInternals,
  evmAddressTransactions,
  evmBalances,
  evmBlockHashes,
  evmBlocks,
  evmChainStates,
  evmInputs,
  evmInternals,
  evmTokens,
  evmTransactionHashes,
  evmTransactions,
  evmTransactionsByStatus,
  evmTransfers,
  evmUntraced,
} from "../../evm/index/tables.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import type { Problems } from "./problems.ts";
import { differences } from "./row-differences.ts";
import { storedEvmBlock } from "./stored-evm-block.ts";
import { verifyHolders } from "./verify-evm-holders.ts";
import { verifyHoldings } from "./verify-evm-holdings.ts";

/** Tables whose rows all follow from those of blocks, transactions, logs, transfers and internal transactions. */
const DERIVED: readonly Table[] = [
  evmBlocks,
  evmBlockHashes,
  evmTransactions,
  evmTransactionHashes,
  evmTransactionsByStatus,
  evmInputs,
  evmTransfers,
  evmInternals,
  evmAddressInternals,
  evmAddressTransactions,
  evmUntraced,
  evmLogs,
  evmLogData,
  evmLists,
];

type Derived = Map<number, number>;

/** Adds the numbers of rows it derives to `derived`, by table. Returns the number of blocks. */
export async function verifyEvmChain(
  reader: StoreReader,
  chain: number,
  { problems, derived, signal }: { problems: Problems; derived: Derived; signal: AbortSignal },
): Promise<number> {
  let previous: Row<typeof evmBlocks> | undefined;
  const lists = new ListCheck(reader, derived);
  let blocks = 0;
  let logs = 0n;
  const [state, logRange] = await Promise.all([reader.get(evmChainStates, { chain }), reader.get(evmLogRanges, { chain })]);
  for await (const row of scanAll(reader, evmBlocks, { chain })) {
    if (signal.aborted) return blocks;
    const place = `block ${row.key.height} of EVM chain ${chain}`;
    const checked = await checkBlock(reader, row, previous, derived);
    for (const fault of await lists.add(row, checked.facts)) problems.add(`EVM chain ${chain} ${fault}`);
    for (const fault of checked.faults) problems.add(`${place} ${fault}`);
    if (logRange !== undefined && row.key.height >= logRange.first && row.key.height <= logRange.last) logs += BigInt(checked.logs);
    previous = row;
    blocks++;
  }
  for (const fault of await lists.finish()) problems.add(`EVM chain ${chain} ${fault}`);
  if (logRange !== undefined && logRange.logs !== logs) {
    const { first, last } = logRange;
    problems.add(`EVM chain ${chain} has ${logs} logs in the blocks ${first} to ${last}, but ${logRange.logs} were indexed`);
  }
  if (state?.height !== previous?.key.height || state?.hash !== previous?.value.hash) {
    problems.add(`EVM chain ${chain} is at block ${state?.height ?? "none"}, but its last block is ${previous?.key.height ?? "none"}`);
  }
  await verifyHoldings(reader, chain, problems, signal);
  await verifyHolders(reader, chain, problems, signal);
  return blocks;
}

/** Checks for all chains together that no row exists without a block. */
export function verifyDerivedCounts(counts: ReadonlyMap<number, number>, derived: Derived, problems: Problems): void {
  for (const { id, name } of DERIVED) {
    const [found = 0, expected = 0] = [counts.get(id), derived.get(id)];
    if (found !== expected) problems.add(`${name}: it has ${found} rows, but ${expected} follow from the blocks`);
  }
}

/** Compares the rows of lists, which have entries of a window of blocks each. */
class ListCheck {
  readonly #reader: StoreReader;
  readonly #derived: Derived;
  #window: bigint | undefined;
  #view = new View();

  constructor(reader: StoreReader, derived: Derived) {
    this.#reader = reader;
    this.#derived = derived;
  }

  /** Returns what is wrong with the windows before the block's. @param facts undefined: the block is damaged */
  async add({ key: { chain, height } }: Row<typeof evmBlocks>, facts: EvmFacts | undefined): Promise<string[]> {
    const faults = this.#window === windowOf(height) ? [] : await this.finish();
    if (this.#window !== windowOf(height)) {
      this.#window = windowOf(height);
      this.#view.setResident(evmLists);
    }
    if (facts !== undefined) writeLists(new BlockWriter(this.#view, undefined), { chain, height }, listEntries(facts));
    return faults;
  }

  async finish(): Promise<string[]> {
    const changes = this.#view.drain();
    this.#view = new View();
    count(changes, this.#derived);
    return differences(this.#reader, changes);
  }
}

function count(changes: readonly Change[], derived: Derived): void {
  for (const { table } of changes) derived.set(table.id, (derived.get(table.id) ?? 0) + 1);
}

/** Returns what is wrong with a block's rows, what they say if that can be read, and the number of its logs. */
async function checkBlock(
  reader: StoreReader,
  row: Row<typeof evmBlocks>,
  previous: Row<typeof evmBlocks> | undefined,
  derived: Derived,
): Promise<{ readonly faults: readonly string[]; readonly logs: number; readonly facts: EvmFacts | undefined }> {
  const { height, chain } = row.key;
  const only = (fault: string) => ({ faults: [fault], logs: 0, facts: undefined });
  if (previous !== undefined && previous.key.height + 1n !== height) return only(`follows block ${previous.key.height}`);
  if (previous !== undefined && previous.value.hash !== row.value.parentHash)
    return only("does not name the block before it as its parent");
  let facts: EvmFacts;
  try {
    facts = await storedEvmBlock(reader, row);
  } catch (error) {
    return only((error as Error).message);
  }
  const view = new View();
  const before = previous?.value.cumulativeTransactions ?? 0n;
  writeBlockRows(new BlockWriter(view, undefined), chain, facts, before + BigInt(row.value.txCount));
  const changes = view.drain();
  count(changes, derived);
  const logs = facts.block.transactions.reduce((sum, transaction) => sum + transaction.logs.length, 0);
  return { faults: [...(await differences(reader, changes)), ...(await balanceFaults(reader, chain, facts))], logs, facts };
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
