/** Checks on a recording what `firn verify` derives for an EVM chain: intact rows have no problems, and changed ones are reported. */

import { expect, test } from "vitest";
import type { Change, Row, Table } from "../../src/base/table/table.ts";
import { Problems } from "../../src/cli/verify/problems.ts";
import { verifyDerivedCounts, verifyEvmChain } from "../../src/cli/verify/verify-evm.ts";
import { evmHolders, evmItemHolders, evmNftCounts, evmTokensByHeight, evmTokenTotals } from "../../src/evm/index/holder-tables.ts";
import { evmLists, evmLogData, evmLogRanges, evmLogs } from "../../src/evm/index/log-tables.ts";
import { readTransfers, transferParts } from "../../src/evm/index/read-parts.ts";
import { evmAddressTransactions, evmBalances, evmBlocks, evmHoldings, evmNfts, evmTransactions } from "../../src/evm/index/tables.ts";
import { tablesById } from "../../src/serve/all-tables.ts";
import { type Store, scanAll } from "../../src/store/store.ts";
import { withIndexedChains } from "../api/data/evm/indexed-store.ts";
import { chainOfLogs } from "../api/data/evm/log-chain.ts";
import { CHAIN, withFollowedRecording } from "../evm/tokens/followed-recording.ts";

async function problemsOf(store: Store): Promise<readonly string[]> {
  const problems = new Problems();
  const derived = new Map<number, number>();
  await verifyEvmChain(store, CHAIN, { problems, derived, signal: new AbortController().signal });
  const counts = new Map<number, number>();
  for (const [id, table] of tablesById) {
    let count = 0;
    for await (const _ of scanAll(store, table)) count++;
    counts.set(id, count);
  }
  verifyDerivedCounts(counts, derived, problems);
  return problems.first;
}

async function middleRow<T extends Table>(store: Store, table: T, isWanted: (row: Row<T>) => boolean = () => true): Promise<Row<T>> {
  const rows: Row<T>[] = [];
  for await (const row of scanAll(store, table)) if (isWanted(row)) rows.push(row);
  return rows[Math.floor(rows.length / 2)]!;
}

test("every row of an indexed chain that follows from its blocks is derived again, and one that was lost, added or changed is told", async () => {
  await withFollowedRecording("evm-1", async ({ store, quiet }) => {
    await quiet();
    expect(await problemsOf(store)).toEqual([]);
    const block = await middleRow(store, evmBlocks);
    const transaction = await middleRow(store, evmTransactions);
    const moving = await middleRow(store, evmTransactions, ({ value }) => value.transfers > 0);
    const [transfer, ...more] = readTransfers(moving.value.transferPart, moving.value);
    const [changedPart] = transferParts([{ ...transfer!, to: "11".repeat(20) }, ...more], moving.value);
    const logs = await middleRow(store, evmLogs);
    const logList = await middleRow(store, evmLists);
    const logRange = await middleRow(store, evmLogRanges);
    const party = await middleRow(store, evmAddressTransactions);
    const balance = await middleRow(store, evmBalances);
    const holding = await middleRow(store, evmHoldings);
    const nft = await middleRow(store, evmNfts, ({ value }) => value.owner !== undefined);
    const holder = await middleRow(store, evmHolders);
    const item = await middleRow(store, evmItemHolders);
    const count = await middleRow(store, evmNftCounts);
    const totals = await middleRow(store, evmTokenTotals);
    const listed = await middleRow(store, evmTokensByHeight);
    const other = "11".repeat(20);
    const damages: readonly [Table, Row<Table>, object | undefined, RegExp][] = [
      [evmBlocks, block, { ...block.value, parentHash: "22".repeat(32) }, /does not name the block before it as its parent/],
      [
        evmBlocks,
        block,
        { ...block.value, feesSpent: block.value.feesSpent + 1n },
        /has another row .* of evm_blocks than follows from it/,
      ],
      [evmTransactions, transaction, { ...transaction.value, from: other }, /lacks the row .* of evm_address_transactions/],
      [evmTransactions, moving, { ...moving.value, transferPart: changedPart! }, /lacks the row .* of evm_address_transactions/],
      [evmTransactions, moving, { ...moving.value, transferPart: new Uint8Array() }, /has \d+ transfers of \d+ of transaction/],
      [evmLogs, logs, { logs: logs.value.logs.map((log) => ({ ...log, address: other })) }, /lacks the row .* of evm_lists/],
      [evmLogs, logs, undefined, /evm_lists: it has \d+ rows, but \d+ follow|has another row .* of evm_lists/],
      [evmLists, logList, undefined, /lacks the row .* of evm_lists/],
      [evmLists, logList, { entries: logList.value.entries.subarray(1) }, /has another row .* of evm_lists/],
      [
        evmLists,
        { ...logList, key: { ...logList.key, list: "33".repeat(10) } },
        logList.value,
        /evm_lists: it has \d+ rows, but \d+ follow/,
      ],
      [evmLogRanges, logRange, { ...logRange.value, logs: 1n }, /has \d+ logs in the blocks 0 to \d+, but 1 were indexed/],
      [evmAddressTransactions, party, undefined, /lacks the row .* of evm_address_transactions/],
      [
        evmAddressTransactions,
        { ...party, key: { ...party.key, address: other } },
        party.value,
        /evm_address_transactions: it has \d+ rows, but \d+ follow/,
      ],
      [evmBalances, balance, { balance: balance.value.balance + 1n }, /which the balances do not show|its newest balance is/],
      [evmHoldings, holding, { balance: holding.value.balance + 5n }, /its newest balance is|is not among what its owner/],
      [evmHolders, holder, undefined, /lacks the row .* of evm_holders/],
      [evmHolders, { ...holder, key: { ...holder.key, holder: other } }, {}, /rows of evm_holders, but \d+ follow from its holdings/],
      [evmItemHolders, item, undefined, /lacks the row .* of evm_item_holders/],
      [evmNftCounts, count, { nfts: count.value.nfts + 1n }, /has another row .* of evm_nft_counts/],
      [evmTokenTotals, totals, { ...totals.value, transfers: 0n }, /has another row .* of evm_token_totals/],
      [evmTokensByHeight, listed, undefined, /lacks the row .* of evm_tokens_by_height/],
      [evmNfts, nft, { ...nft.value, owner: other }, /is not among what its owner/],
    ];
    for (const [table, { key, value }, changed, sentence] of damages) {
      const known = await store.get(table, key);
      await store.commit([{ table, key, value: changed } as Change]);
      expect((await problemsOf(store)).join("\n")).toMatch(sentence);
      await store.commit([{ table, key, value: known } as Change]);
      expect(value).toBeDefined();
    }
    expect(await problemsOf(store)).toEqual([]);
  });
});

test("long data of logs are held against the lengths in their transaction's row", async () => {
  const log = { address: "c1".repeat(20), topics: [], data: new Uint8Array(5000) };
  await withIndexedChains(new Map([[CHAIN, chainOfLogs([[[log, log]]])]]), async (store) => {
    expect(await problemsOf(store)).toEqual([]);
    const { key, value } = await middleRow(store, evmLogData);
    const damages = [
      [key, undefined, /lacks the data of log 1/],
      [key, { data: value.data.subarray(1) }, /lacks the data of log 1/],
      [{ ...key, logIndex: 99 }, value, /evm_log_data: it has 3 rows, but 2 follow from the blocks/],
    ] as const;
    for (const [at, changed, sentence] of damages) {
      const known = await store.get(evmLogData, at);
      await store.commit([{ table: evmLogData, key: at, value: changed } as Change]);
      expect((await problemsOf(store)).join("\n")).toMatch(sentence);
      await store.commit([{ table: evmLogData, key: at, value: known } as Change]);
    }
  });
});
