/** The cost of pages of long lists: rows read for the first one, a middle one, and the last one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listErc721Balances } from "../../../../src/api/data/evm/balances/list-erc721.ts";
import { listLatestEvmBlocks } from "../../../../src/api/data/evm/blocks/list-latest-evm-blocks.ts";
import { listContractDeployments } from "../../../../src/api/data/evm/contracts/list-deployments.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { getEvmTransaction } from "../../../../src/api/data/evm/transactions/get-evm-transaction.ts";
import { listAddressTransactions, listAddressTransactionsV2 } from "../../../../src/api/data/evm/transactions/list-address-transactions.ts";
import { listInternalTransactions } from "../../../../src/api/data/evm/transactions/list-internal-transactions.ts";
import { listLatestEvmTransactions } from "../../../../src/api/data/evm/transactions/list-latest-evm-transactions.ts";
import { listNativeTransactions } from "../../../../src/api/data/evm/transactions/list-native-transactions.ts";
import { listErc20Transactions } from "../../../../src/api/data/evm/transactions/list-token-transactions.ts";
import { listTransactionsOfBlock } from "../../../../src/api/data/evm/transactions/list-transactions-of-block.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import { type IntendedBlock, makeChain, PEOPLE, TOKENS } from "../../../evm/decode/intents.ts";
import { CHAIN, IndexedRows } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ask } from "../staking/request.ts";
import { askedOf, evmChain, modelRpc, silentLabels } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

const [BUSY, OTHER, SENDER] = PEOPLE as [string, string, string];
const BLOCKS = 60;
const PER_BLOCK = 6;

/** Of each six transactions the busy address sends four, which each make something of everything, and only gets spam in two. */
const busyBlock: IntendedBlock = Array.from({ length: PER_BLOCK }, (_, index) => {
  const isSpam = index >= 4;
  return {
    from: isSpam ? SENDER : BUSY,
    to: isSpam ? SENDER : index === 0 ? undefined : OTHER,
    isSuccess: true,
    inputLength: 4,
    intents: isSpam
      ? [{ kind: "amount" as const, token: "plain" as const, from: SENDER, to: BUSY, value: 1n }]
      : [
          { kind: "amount" as const, token: "allIndexed" as const, from: BUSY, to: OTHER, value: 0n },
          { kind: "frame" as const, type: "CALL" as const, from: OTHER, to: BUSY, value: 1n, isReverted: false },
        ],
  };
});

const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
beforeAll(async () => {
  const indexed = new IndexedRows();
  for (const block of makeChain(Array.from({ length: BLOCKS }, () => busyBlock))) indexed.project(block, { recordsUndo: false });
  await store.commit(indexed.view.drain());
});
afterAll(() => store.close());

const labels = {
  ...silentLabels,
  token: (token: string) => (token === TOKENS.plain ? { reputation: "Malicious" as const } : undefined),
};
const asked = askedOf(evmChain({ labels }));
const params = { address: formatAddress(BUSY), blockId: "30" };

interface Cost {
  readonly rows: number;
  readonly items: number;
}

/** Rows and items of every page. */
async function costs(route: AnyDataRoute, query: Record<string, string>): Promise<Cost[]> {
  const found: Cost[] = [];
  let after: Position | undefined;
  do {
    const counted = new CountingReader(store);
    const { body, next } = await ask(route, counted, asked, query, { params, after });
    const items = Object.values(body).find((member) => Array.isArray(member)) as unknown[];
    found.push({ rows: counted.reads, items: items.length });
    after = next;
  } while (after !== undefined);
  return found;
}

describe.each<[string, AnyDataRoute, { all: number; rowsPerItem: number; more?: Record<string, string> }]>([
  ["all that an address had a part in", listAddressTransactions, { all: BLOCKS * PER_BLOCK, rowsPerItem: 8 }],
  ["the same, oldest first", listAddressTransactions, { all: BLOCKS * PER_BLOCK, rowsPerItem: 8, more: { sortOrder: "asc" } }],
  ["the same with reputations", listAddressTransactionsV2, { all: BLOCKS * PER_BLOCK, rowsPerItem: 8 }],
  ["the same without spam", listAddressTransactionsV2, { all: BLOCKS * 4, rowsPerItem: 32, more: { filterSpamTokens: "true" } }],
  ["what an address sent", listNativeTransactions, { all: BLOCKS * 4, rowsPerItem: 4 }],
  ["ERC-20 transfers of an address", listErc20Transactions, { all: BLOCKS * PER_BLOCK, rowsPerItem: 5 }],
  ["internal transactions of an address", listInternalTransactions, { all: BLOCKS * 4, rowsPerItem: 5 }],
  ["contracts that an address deployed", listContractDeployments, { all: BLOCKS, rowsPerItem: 8 }],
  ["latest transactions", listLatestEvmTransactions, { all: BLOCKS * PER_BLOCK, rowsPerItem: 4 }],
  [
    "latest transactions that succeeded",
    listLatestEvmTransactions,
    { all: BLOCKS * PER_BLOCK, rowsPerItem: 4, more: { status: "success" } },
  ],
  ["latest blocks", listLatestEvmBlocks, { all: BLOCKS, rowsPerItem: 2 }],
  ["transactions of a block", listTransactionsOfBlock, { all: PER_BLOCK, rowsPerItem: 4 }],
])("A page of %s", (_, route, { all, rowsPerItem, more = {} }) => {
  /** for the range's ends, and what all items share */
  const FIXED = 16;

  test.each([1, 10, 100])("costs so many rows for each of %i items, wherever it is in the list", async (pageSize) => {
    const pages = await costs(route, { pageSize: `${pageSize}`, ...more });
    expect(pages.reduce((sum, { items }) => sum + items, 0)).toBe(all);
    for (const [index, { rows, items }] of pages.entries()) {
      if (index < pages.length - 1) expect(items).toBe(pageSize);
      expect(rows).toBeLessThanOrEqual(FIXED + rowsPerItem * (pageSize + 1));
    }
  });
});

test("Transactions that move tens of thousands of tokens make pages shorter, not longer than can be borne", async () => {
  const ids = 10_100;
  const entries = Array.from({ length: ids }, (_, id) => ({ tokenId: BigInt(id), value: 1n }));
  const flood = { kind: "multi" as const, from: SENDER, to: OTHER, entries, isBatch: true };
  const small = { kind: "amount" as const, token: "noneIndexed" as const, from: SENDER, to: OTHER, value: 1n };
  const block = [[small], [flood], [small]].map((intents) => ({
    from: SENDER,
    to: SENDER,
    isSuccess: true,
    inputLength: 4,
    intents,
  }));
  const [made] = makeChain([block]);
  await withIndexedChains(new Map([[CHAIN, [made!]]]), async (flooded) => {
    const sizes: number[] = [];
    const rows: number[] = [];
    let after: Position | undefined;
    do {
      const counted = new CountingReader(flooded);
      const { body, next } = await ask(
        listAddressTransactions,
        counted,
        asked,
        { pageSize: "100" },
        { params: { address: formatAddress(OTHER) }, after },
      );
      sizes.push((body.transactions as unknown[]).length);
      rows.push(counted.reads);
      after = next;
    } while (after !== undefined);
    expect(sizes).toEqual([1, 1, 1]);
    expect(Math.max(...rows)).toBeLessThan(60_000);
    const { body } = await ask(getEvmTransaction, flooded, asked, {}, { params: { txHash: `0x${made!.transactions[1]!.hash}` } });
    expect(body.erc1155Transfers).toHaveLength(10_000);
  });
});

test("Blocks that a list begins and ends with are found by their key, and not passed over", async () => {
  for (const sortOrder of ["asc", "desc"]) {
    const counted = new CountingReader(store);
    const query = { startBlock: "30", endBlock: "31", sortOrder, pageSize: "100" };
    const { body, next } = await ask(listAddressTransactions, counted, asked, query, { params });
    expect([(body.transactions as unknown[]).length, next]).toEqual([PER_BLOCK, undefined]);
    expect(counted.reads).toBeLessThan(80);
  }
});

test("All transactions of a block come at once if no size of a page is sent", async () => {
  const { body, next } = await ask(listTransactionsOfBlock, store, asked, {}, { params });
  expect([(body.transactions as unknown[]).length, next]).toEqual([PER_BLOCK, undefined]);
});

test("No block lies between an end and a later start", async () => {
  for (const route of [listAddressTransactions, listNativeTransactions, listErc20Transactions, listInternalTransactions]) {
    const { body, next } = await ask(route, store, asked, { startBlock: "10", endBlock: "10" }, { params });
    expect([body, next]).toEqual([{ transactions: [] }, undefined]);
  }
});

test("Rows of another chain are in no list", async () => {
  const other = askedOf(evmChain({ chain: CHAIN + 1 }));
  for (const route of [listAddressTransactions, listNativeTransactions, listErc20Transactions, listContractDeployments]) {
    const { body } = await ask(route, store, other, {}, { params });
    expect(Object.values(body)).toEqual([[]]);
  }
});

test("Pages of balances ask the node for the native balance once, until the state changes", async () => {
  let asked = 0;
  const rpc = modelRpc(() => `0x${(++asked).toString(16)}`);
  const chain = { ...askedOf(evmChain({ rpc })), cache: new Map() };
  for (let page = 0; page < 2; page++) {
    const { body } = await ask(listErc721Balances, store, chain, {}, { params });
    expect(body.nativeTokenBalance).toMatchObject({ balance: "1" });
  }
  const { body } = await ask(listErc721Balances, store, { ...chain, cache: new Map() }, {}, { params });
  expect(body.nativeTokenBalance).toMatchObject({ balance: "2" });
});
