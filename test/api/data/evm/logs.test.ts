/** Lists of event logs against loops over the blocks that they were made from. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listLogs } from "../../../../src/api/data/evm/logs/list-logs.ts";
import { listTransactionLogs } from "../../../../src/api/data/evm/logs/list-transaction-logs.ts";
import { MOST_PAGE_DATA } from "../../../../src/api/data/evm/logs/log-pages.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import type { Change } from "../../../../src/base/table/table.ts";
import { evmLogRanges } from "../../../../src/evm/index/log-tables.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import type { Store } from "../../../../src/store/store.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ask, walk } from "../staking/request.ts";
import { askedOf, evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";
import { chainOfLogs, EMITTERS, type GivenLog, givenChain, TOPICS } from "./log-chain.ts";

const asked = askedOf(evmChain());
const STRANGER = "ee".repeat(20);

interface Query {
  readonly address?: string | undefined;
  readonly topic0?: string | undefined;
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
}

/** In the order of the chain. */
function presentAll(blocks: readonly EvmBlock[], { address, topic0, fromBlock = 0, toBlock = 100 }: Query): object[] {
  return blocks
    .filter(({ height }) => height >= fromBlock && height <= toBlock)
    .flatMap(({ height, hash, timestamp, transactions }) =>
      transactions.flatMap((transaction) =>
        transaction.logs
          .filter((log) => (address ?? log.address) === log.address && (topic0 ?? log.topics[0]) === log.topics[0])
          .map((log) => ({
            blockNumber: `${height}`,
            blockTimestamp: Number(timestamp),
            blockHash: `0x${hash}`,
            txHash: `0x${transaction.hash}`,
            txIndex: transaction.index,
            logIndex: log.index,
            address: formatAddress(log.address),
            topics: log.topics.map((topic) => `0x${topic}`),
            data: `0x${Buffer.from(log.data).toString("hex")}`,
          })),
      ),
    );
}

function textOf({ address, topic0, fromBlock, toBlock }: Query): Record<string, string> {
  const given = {
    address: address && `0x${address}`,
    topic0: topic0 && `0x${topic0}`,
    fromBlock: fromBlock?.toString(),
    toBlock: toBlock?.toString(),
  };
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const anyQuery: fc.Arbitrary<Query> = fc.record({
  address: optional(fc.constantFrom(...EMITTERS, STRANGER)),
  topic0: optional(fc.constantFrom(...TOPICS, "ee".repeat(32))),
  fromBlock: optional(fc.nat(7)),
  toBlock: optional(fc.nat(7)),
});

test("A list has exactly the logs that a loop over all blocks finds, newest first, whatever the size of a page", async () => {
  await fc.assert(
    fc.asyncProperty(givenChain, fc.boolean(), fc.array(anyQuery, { minLength: 8, maxLength: 8 }), async (given, restarts, queries) => {
      const blocks = chainOfLogs(given, { restarts });
      await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
        for (const query of queries) {
          const wanted = presentAll(blocks, query).reverse();
          for (const pageSize of ["1", "7", "100"]) {
            expect(await walk(listLogs, store, asked, { ...textOf(query), pageSize }, "logs")).toEqual(wanted);
          }
        }
      });
    }),
    { numRuns: 12 },
  );
});

test("A transaction has exactly its logs, in their order", async () => {
  await fc.assert(
    fc.asyncProperty(givenChain, fc.boolean(), fc.integer({ min: 1, max: 100 }), async (given, restarts, pageSize) => {
      const blocks = chainOfLogs(given, { restarts });
      await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
        const all = presentAll(blocks, {}) as { readonly txHash: string }[];
        for (const txHash of blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => `0x${hash}`))) {
          const found = await walk(listTransactionLogs, store, asked, { pageSize: `${pageSize}` }, "logs", { txHash });
          expect(found).toEqual(all.filter((log) => log.txHash === txHash));
        }
      });
    }),
    { numRuns: 20 },
  );
});

/** Rows and items of every page. */
async function pagesOf(route: AnyDataRoute, store: Store, query: Record<string, string>, params = {}) {
  const pages: { rows: number; items: { readonly logIndex: number; readonly data: string }[] }[] = [];
  let after: Position | undefined;
  do {
    const counted = new CountingReader(store);
    const { body, next } = await ask(route, counted, asked, query, { params, after });
    pages.push({ rows: counted.reads, items: body.logs as never });
    after = next;
  } while (after !== undefined);
  return pages;
}

const [BUSY, RARE] = EMITTERS as [string, string];
const [OFTEN, SELDOM] = TOPICS as [string, string];
const logOf = (address: string, topic0?: string, length = 32): GivenLog => ({
  address,
  topics: topic0 === undefined ? [] : [topic0],
  data: new Uint8Array(length).fill(7),
});

test("A page costs so many rows for each of its logs, however many others its contract, its transaction and its topic have", async () => {
  const others = Array.from({ length: 300 }, () => logOf(BUSY, OFTEN, 1000));
  const block = [[...others, logOf(BUSY, SELDOM), logOf(RARE), ...others], [logOf(BUSY, OFTEN)]];
  const blocks = chainOfLogs(Array.from({ length: 12 }, () => block));
  await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
    for (const [query, all] of [
      [{ address: BUSY, topic0: SELDOM }, 12],
      [{ topic0: SELDOM }, 12],
      [{ address: RARE }, 12],
      [{ address: RARE, topic0: OFTEN }, 0],
      [{ address: BUSY, toBlock: 1 }, 2 * 602],
      [{ topic0: OFTEN, toBlock: 1 }, 2 * 601],
      [{ toBlock: 1 }, 2 * 603],
    ] as const) {
      for (const pageSize of [1, 10, 100]) {
        const pages = await pagesOf(listLogs, store, { ...textOf(query), pageSize: `${pageSize}` });
        expect(pages.reduce((sum, { items }) => sum + items.length, 0)).toBe(all);
        for (const { rows } of pages) expect(rows).toBeLessThanOrEqual(8 + 5 * (pageSize + 1));
      }
    }
    const params = { txHash: `0x${blocks[3]!.transactions[0]!.hash}` };
    for (const pageSize of [1, 10, 100]) {
      const pages = await pagesOf(listTransactionLogs, store, { pageSize: `${pageSize}` }, params);
      expect(pages.reduce((sum, { items }) => sum + items.length, 0)).toBe(602);
      for (const { rows } of pages) expect(rows).toBeLessThanOrEqual(8 + 2 * (pageSize + 1));
    }
  });
});

test("A page ends once its logs have a mebibyte of data, and shows data of any length whole", async () => {
  const large = MOST_PAGE_DATA + 1;
  const third = Math.floor(MOST_PAGE_DATA / 3);
  const lengths = [third, third, third, third, large, 5, large, large, 0, 0];
  const blocks = chainOfLogs([[lengths.map((length) => logOf(BUSY, OFTEN, length))]]);
  await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
    const params = { txHash: `0x${blocks[0]!.transactions[0]!.hash}` };
    const inOrder = await pagesOf(listTransactionLogs, store, { pageSize: "10" }, params);
    expect(inOrder.map(({ items }) => items.map(({ logIndex }) => logIndex))).toEqual([[0, 1, 2], [3], [4], [5], [6], [7], [8, 9]]);
    const newestFirst = await pagesOf(listLogs, store, { address: `0x${BUSY}`, pageSize: "10" });
    expect(newestFirst.map(({ items }) => items.map(({ logIndex }) => logIndex))).toEqual([[9, 8], [7], [6], [5], [4], [3, 2, 1], [0]]);
    for (const { items } of [...inOrder, ...newestFirst]) {
      for (const { logIndex, data } of items) expect(data).toBe(`0x${"07".repeat(lengths[logIndex]!)}`);
    }
  });
});

test("Says which blocks have no logs because a Firn that kept none indexed them, instead of an empty list", async () => {
  const blocks = chainOfLogs([[[logOf(BUSY)]], [[logOf(BUSY)]], [[logOf(BUSY)]], []]);
  await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
    const set = (value: object | undefined) => store.commit([{ table: evmLogRanges, key: { chain: CHAIN }, value } as Change]);
    const bodyOf = async (query: Query) => (await ask(listLogs, store, asked, textOf(query))).body;
    const heightsOf = (body: Record<string, unknown>) => (body.logs as { blockNumber: string }[]).map(({ blockNumber }) => blockNumber);
    const ofTransaction = (height: number) =>
      ask(listTransactionLogs, store, asked, {}, { params: { txHash: `0x${blocks[height]!.transactions[0]!.hash}` } });
    expect(await bodyOf({})).not.toHaveProperty("logsFromBlock");
    await set({ first: 1n, last: 3n, logs: 2n });
    const all = await bodyOf({});
    expect(all).toMatchObject({ logsFromBlock: "1" });
    expect(heightsOf(all)).toEqual(["2", "1"]);
    expect(await bodyOf({ toBlock: 0, address: BUSY })).toEqual({ logs: [], logsFromBlock: "1" });
    expect(await bodyOf({ fromBlock: 1 })).not.toHaveProperty("logsFromBlock");
    expect((await ofTransaction(1)).body.logs).toHaveLength(1);
    const sentence =
      /^logs of chain 43112 are not available here before block 1: a version of Firn that did not keep logs .* firn forget 43112/;
    await expect(ofTransaction(0)).rejects.toMatchObject({ status: 503, message: expect.stringMatching(sentence) });
    for (const range of [undefined, { first: 1n, last: 2n, logs: 2n }]) {
      await set(range);
      for (const asking of [bodyOf({}), ofTransaction(1)]) {
        await expect(asking).rejects.toMatchObject({ status: 503, message: expect.stringContaining("not available here up to block 3") });
      }
    }
  });
});

test("A chain that is indexed from a later block on lacks no logs", async () => {
  const blocks = chainOfLogs([[[logOf(BUSY)]]]);
  await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
    await store.commit([{ table: evmLogRanges, key: { chain: CHAIN }, value: { first: 0n, last: 0n, logs: 1n } } as Change]);
    const { body } = await ask(listLogs, store, askedOf(evmChain({ startBlock: 5n })), {});
    expect(body).not.toHaveProperty("logsFromBlock");
  });
});

test("Refuses addresses, topics and hashes of another form with what would be right", async () => {
  await withIndexedChains(new Map([[CHAIN, chainOfLogs([[]])]]), async (store) => {
    for (const [query, sentence] of [
      [{ address: "0x12" }, 'address must be 0x and 40 hex digits, got "0x12"'],
      [{ topic0: "Transfer" }, 'topic0 must be 0x and 64 hex digits, got "Transfer"'],
    ] as const) {
      await expect(ask(listLogs, store, asked, query)).rejects.toMatchObject({ status: 400, message: sentence });
    }
    const upper = { address: `0x${BUSY.toUpperCase()}`, topic0: `0x${OFTEN.toUpperCase()}` };
    expect((await ask(listLogs, store, asked, upper)).body).toEqual({ logs: [] });
    await expect(ask(listTransactionLogs, store, asked, {}, { params: { txHash: "0x" } })).rejects.toMatchObject({ status: 400 });
    const unknown = { txHash: `0x${"9".repeat(64)}` };
    await expect(ask(listTransactionLogs, store, asked, {}, { params: unknown })).rejects.toMatchObject({ status: 404 });
  });
});
