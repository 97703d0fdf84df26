/**
 * Compares transfers of a token, NFTs of a collection, and contracts of generated chains with simple loops, page by page, and checks the
 * cost of a page.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listTokenTransfers } from "../../../../src/api/data/evm/balances/list-transfers.ts";
import { getContractMetadata } from "../../../../src/api/data/evm/contracts/get-metadata.ts";
import { getCollectionToken } from "../../../../src/api/data/evm/nfts/get-token.ts";
import { listCollectionTokens } from "../../../../src/api/data/evm/nfts/list-tokens.ts";
import { reindexNft } from "../../../../src/api/data/evm/nfts/reindex.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { responseWriter } from "../../../../src/api/data/response-writer.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { decodeBlock } from "../../../../src/evm/decode/decode-block.ts";
import { ERC20, ERC721, ERC1155 } from "../../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../../src/evm/index/holding-rows.ts";
import { evmNfts } from "../../../../src/evm/index/tables.ts";
import { evmContractMetadata, evmNftMetadata, evmTokenChecks } from "../../../../src/evm/index/token-tables.ts";
import { statusNumber } from "../../../../src/evm/nft/nft-status.ts";
import type { EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import type { Store } from "../../../../src/store/store.ts";
import { classOf, intendedChain, makeChain, PEOPLE, TOKENS, ZERO } from "../../../evm/decode/intents.ts";
import { HoldingsOracle } from "../../../evm/index/holdings-oracle.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ask, walk } from "../staking/request.ts";
import { askedOf, evmChain, silentLabels } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms
type Json = Record<string, any>;

const asked = askedOf(evmChain());
const of = (address: string) => ({ address: formatAddress(address) });
const bare = (text: string) => text.slice(2).toLowerCase();

/** The one item or page, written as clients get it. */
async function answer(route: AnyDataRoute, store: Store, params: Record<string, string>, chain = asked): Promise<Json> {
  const { body } = await ask(route, store, chain, {}, { params });
  return JSON.parse(responseWriter(route.response)(body)) as Json;
}

describe("transfers of a token", () => {
  const height = fc.option(fc.nat(9), { nil: undefined });
  const range = fc.record({ start: height, end: height });

  function expected(blocks: readonly EvmBlock[], token: string, { start = 0, end = 99 }: { start?: number; end?: number }): string[] {
    const texts = blocks.slice(start, Math.max(start, end)).flatMap((block) =>
      decodeBlock(block, classOf).transactions.flatMap(({ transaction, transfers }) =>
        transfers
          .filter((transfer) => transfer.token === token)
          .map(({ from, to, tokenId, value, kind, logIndex }) => {
            const amount = { [ERC20]: `${value}`, [ERC721]: `#${tokenId}`, [ERC1155]: `#${tokenId} ${value}` }[kind];
            return `${block.height} ${block.timestamp} ${block.hash} ${transaction.hash} ${logIndex} ${from} ${to} ${amount}`;
          }),
      ),
    );
    return texts.reverse();
  }

  function shown({ erc20Token, erc721Token, erc1155Token, ...transfer }: Json, token: string): string {
    const [kind, ...others] = Object.entries({ erc20Token, erc721Token, erc1155Token }).filter(([, model]) => model !== undefined);
    const [name, model] = kind as [string, Json];
    expect(others).toEqual([]);
    expect(bare(model.address)).toBe(token);
    const amounts = [name === "erc20Token" ? [] : [`#${model.tokenId}`], name === "erc721Token" ? [] : [transfer.value]].flat();
    const { blockNumber, blockTimestamp, blockHash, txHash, logIndex, from, to } = transfer;
    return [blockNumber, blockTimestamp, bare(blockHash), bare(txHash), logIndex, bare(from.address), bare(to.address), ...amounts].join(
      " ",
    );
  }

  const ofId = (text: string, tokenId: bigint) => text.split(" #")[1]!.split(" ")[0] === `${tokenId}`;

  test("are those of its logs, newest first, between two blocks, whatever the size of the pages", async () => {
    await fc.assert(
      fc.asyncProperty(intendedChain, range, fc.integer({ min: 1, max: 5 }), (intended, { start, end }, pageSize) => {
        const blocks = makeChain(intended);
        return withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
          const query = {
            pageSize: `${pageSize}`,
            ...(start !== undefined && { startBlock: `${start}` }),
            ...(end !== undefined && { endBlock: `${end}` }),
          };
          const bounds = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
          for (const token of Object.values(TOKENS)) {
            const transfers = await walk(listTokenTransfers, store, asked, query, "transfers", of(token));
            responseWriter(listTokenTransfers.response)({ transfers });
            expect(transfers.map((transfer) => shown(transfer, token))).toEqual(expected(blocks, token, bounds));
          }
          for (const token of [TOKENS.nft, TOKENS.earlyNft, TOKENS.multi, TOKENS.plain]) {
            for (const tokenId of [0n, 1n, 2n ** 256n - 1n]) {
              const ofNft = { ...query, tokenId: `${tokenId}` };
              const transfers = await walk(listTokenTransfers, store, asked, ofNft, "transfers", of(token));
              const all = expected(blocks, token, bounds).filter((text) => text.includes(` #${tokenId}`));
              expect(transfers.map((transfer) => shown(transfer, token))).toEqual(all.filter((text) => ofId(text, tokenId)));
            }
          }
        });
      }),
      { numRuns: 30 },
    );
  });

  test("cost the rows of their page, wherever it is", async () => {
    const move = { kind: "amount" as const, token: "plain" as const, from: PEOPLE[0]!, to: PEOPLE[1]!, value: 1n };
    const block = [{ from: PEOPLE[0]!, to: PEOPLE[1], isSuccess: true, inputLength: 0, intents: [move, move, move] }];
    const blocks = makeChain(Array.from({ length: 400 }, () => block));
    await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
      const costs = new Set<number>();
      // at the same place of a window of 32 blocks
      for (const height of [395n, 203n, 43n]) {
        const reader = new CountingReader(store);
        const after: Position = { height, index: 0, logIndex: 0, batchIndex: 0 };
        const { body } = await ask(
          listTokenTransfers,
          reader,
          asked,
          { pageSize: "9", startBlock: "3" },
          { params: of(TOKENS.plain), after },
        );
        expect(body.transfers).toHaveLength(9);
        costs.add(reader.reads);
      }
      expect(costs.size).toBe(1);
      expect([...costs][0]).toBeLessThanOrEqual(4 * (9 + 1));
    });
  });
});

describe("NFTs of a collection", () => {
  test("are those that exist, in order of their IDs, each with its owner", async () => {
    await fc.assert(
      fc.asyncProperty(intendedChain, fc.integer({ min: 1, max: 3 }), (intended, pageSize) =>
        withIndexedChains(new Map([[CHAIN, makeChain(intended)]]), async (store) => {
          const oracle = new HoldingsOracle();
          for (const block of intended) oracle.block(block);
          const exist = [
            ...[...oracle.owners].map(([name, owner]) => [...name.split(" "), owner]),
            ...[...oracle.balances]
              .filter(([name, balance]) => name.startsWith("55 ") && balance > 0n)
              .map(([name]) => name.split(" ").slice(1, 3)),
          ] as [string, string, string?][];
          for (const token of Object.values(TOKENS)) {
            const tokens = await walk(listCollectionTokens, store, asked, { pageSize: `${pageSize}` }, "tokens", of(token));
            const ofToken = new Map(exist.filter(([name]) => name === token).map(([, tokenId, owner]) => [tokenId, owner]));
            const wanted = [...ofToken].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
            expect(tokens.map(({ tokenId, ownerAddress }) => [tokenId, ownerAddress && bare(String(ownerAddress))])).toEqual(wanted);
            for (const nft of tokens) {
              const { tokenId } = nft as { tokenId: string };
              expect(await answer(getCollectionToken, store, { ...of(token), tokenId })).toEqual(nft);
            }
          }
        }),
      ),
      { numRuns: 30 },
    );
  });

  const nft = (tokenId: bigint, owner = PEOPLE[0]) => ({
    table: evmNfts,
    key: { chain: CHAIN, token: TOKENS.nft, tokenId: tokenIdKey(tokenId) },
    value: { kind: ERC721, owner, supply: 0n },
  });

  test("cost the rows of their page, wherever it is", async () => {
    await withIndexedChains(new Map(), async (store) => {
      await store.commit(Array.from({ length: 1000 }, (_, tokenId) => nft(BigInt(tokenId))));
      const costs = new Set<number>();
      for (const after of [undefined, { tokenId: tokenIdKey(500n) }, { tokenId: tokenIdKey(980n) }]) {
        const reader = new CountingReader(store);
        const { body } = await ask(listCollectionTokens, reader, asked, { pageSize: "9" }, { params: of(TOKENS.nft), after });
        expect(body.tokens).toHaveLength(9);
        costs.add(reader.reads);
      }
      expect(costs.size).toBe(1);
      expect([...costs][0]).toBeLessThanOrEqual(3 * (9 + 1) + 3);
    });
  });

  test("show what is known of their metadata, and nothing else", async () => {
    await withIndexedChains(new Map(), async (store) => {
      const metadata = { name: "Ape №1", attributes: '[{"a":1}]', imageUri: "ipfs://x" };
      await store.commit([
        nft(1n),
        nft(2n),
        {
          table: evmNftMetadata,
          key: { chain: CHAIN, token: TOKENS.nft, tokenId: tokenIdKey(1n) },
          value: {
            tokenUri: Buffer.from("ipfs://ü"),
            status: statusNumber("INDEXED"),
            metadata: Buffer.from(JSON.stringify(metadata)),
            updatedAt: 7n,
            requestedAt: 0n,
          },
        },
        {
          table: evmContractMetadata,
          key: { chain: CHAIN, contract: TOKENS.nft },
          value: { kind: ERC721, name: Buffer.from("Äpes").toString("latin1"), symbol: undefined, decimals: undefined, checkedAt: 1n },
        },
      ]);
      const common = {
        address: formatAddress(TOKENS.nft),
        name: "Äpes",
        symbol: "",
        ercType: "ERC-721",
        ownerAddress: formatAddress(PEOPLE[0]!),
      };
      expect(await answer(listCollectionTokens, store, of(TOKENS.nft))).toEqual({
        tokens: [
          {
            ...common,
            tokenId: "1",
            tokenUri: "ipfs://ü",
            metadata: { ...metadata, indexStatus: "INDEXED", metadataLastUpdatedTimestamp: 7 },
          },
          { ...common, tokenId: "2", tokenUri: "", metadata: { indexStatus: "UNINDEXED" } },
        ],
      });
    });
  });

  test("are none of a contract that only pretended to have some", async () => {
    await withIndexedChains(new Map(), async (store) => {
      const check = { verdict: 2, height: 0n, samples: 1, checkedAt: 0n };
      await store.commit([nft(1n), { table: evmTokenChecks, key: { chain: CHAIN, token: TOKENS.nft }, value: check }]);
      expect(await answer(listCollectionTokens, store, of(TOKENS.nft))).toEqual({ tokens: [] });
      await expect(answer(getCollectionToken, store, { ...of(TOKENS.nft), tokenId: "1" })).rejects.toMatchObject({ status: 404 });
    });
  });

  test.each([["-1"], ["0x1"], ["1.5"], ["x"], [`${2n ** 256n}`], ["9".repeat(79)]])("cannot have the ID %s", async (tokenId) => {
    await withIndexedChains(new Map(), (store) =>
      expect(answer(getCollectionToken, store, { ...of(TOKENS.nft), tokenId })).rejects.toMatchObject({ status: 400 }),
    );
  });

  test("are read again on request: once an hour, if they exist, and where something indexes", async () => {
    await withIndexedChains(new Map(), async (store) => {
      await store.commit([nft(2n ** 256n - 1n)]);
      const asks: unknown[] = [];
      const indexing = evmChain({ reindexNft: async (...nft) => asks.push(nft) === 1 });
      const reindex = (tokenId: string, chain = indexing) => answer(reindexNft, store, { ...of(TOKENS.nft), tokenId }, askedOf(chain));
      expect(await reindex(`${2n ** 256n - 1n}`)).toEqual({});
      await expect(reindex(`${2n ** 256n - 1n}`)).rejects.toMatchObject({ status: 429 });
      await expect(reindex("1")).rejects.toMatchObject({ status: 404 });
      await expect(reindex(`${2n ** 256n - 1n}`, evmChain())).rejects.toMatchObject({ status: 503 });
      expect(asks).toEqual([1, 2].map(() => [TOKENS.nft, 2n ** 256n - 1n]));
    });
  });
});

describe("a contract", () => {
  const moved = { from: PEOPLE[0]!, to: PEOPLE[1]!, value: 1n };
  const chain = makeChain([
    [
      {
        from: PEOPLE[0]!,
        to: undefined,
        isSuccess: true,
        inputLength: 4,
        intents: [
          { kind: "amount", token: "plain", ...moved },
          { kind: "nft", token: "nft", ...moved, tokenId: 1n },
          { kind: "multi", ...moved, entries: [{ tokenId: 1n, value: 1n }], isBatch: false },
          { kind: "frame", type: "CREATE", from: TOKENS.vault, to: TOKENS.plain, value: 0n, isReverted: false },
        ],
      },
    ],
  ]);
  const [transaction] = chain[0]!.transactions;

  test("is what its logs look like until it says more itself, and an account is UNKNOWN", async () => {
    await withIndexedChains(new Map([[CHAIN, chain]]), async (store) => {
      const deploymentDetails = {
        txHash: `0x${transaction!.hash}`,
        deployerAddress: formatAddress(PEOPLE[0]!),
        deployerContractAddress: formatAddress(TOKENS.vault),
      };
      const plain = { address: formatAddress(TOKENS.plain), ercType: "ERC-20", decimals: 0, deploymentDetails };
      expect(await answer(getContractMetadata, store, of(TOKENS.plain))).toEqual(plain);
      expect(await answer(getContractMetadata, store, of(TOKENS.nft))).toEqual({ ...of(TOKENS.nft), ercType: "ERC-721" });
      expect(await answer(getContractMetadata, store, of(TOKENS.multi))).toEqual({ ...of(TOKENS.multi), ercType: "ERC-1155" });
      for (const account of [PEOPLE[1]!, ZERO, "ab".repeat(20)]) {
        expect(await answer(getContractMetadata, store, of(account))).toEqual({ ...of(account), ercType: "UNKNOWN" });
      }
      const { deployerContractAddress: _, ...own } = deploymentDetails;
      expect(await answer(getContractMetadata, store, of(transaction!.created!))).toEqual({
        ...of(transaction!.created!),
        ercType: "UNKNOWN",
        deploymentDetails: own,
      });
      const said = { kind: ERC20, name: "Coin", symbol: "C", decimals: 9, checkedAt: 1n };
      await store.commit([{ table: evmContractMetadata, key: { chain: CHAIN, contract: TOKENS.plain }, value: said }]);
      expect(await answer(getContractMetadata, store, of(TOKENS.plain))).toEqual({ ...plain, name: "Coin", symbol: "C", decimals: 9 });
    });
  });

  test("goes by the operator's names, and is no token once the check found that it is none", async () => {
    await withIndexedChains(new Map([[CHAIN, chain]]), async (store) => {
      const token = (address: string) => (address === TOKENS.nft ? { name: "Mine", symbol: "M", logoUri: "https://logo" } : undefined);
      const labelled = askedOf(evmChain({ labels: { ...silentLabels, token } }));
      const named = { ...of(TOKENS.nft), name: "Mine", logoAsset: { imageUri: "https://logo" } };
      expect(await answer(getContractMetadata, store, of(TOKENS.nft), labelled)).toEqual({ ...named, symbol: "M", ercType: "ERC-721" });
      const check = { verdict: 2, height: 0n, samples: 1, checkedAt: 0n };
      await store.commit([{ table: evmTokenChecks, key: { chain: CHAIN, token: TOKENS.nft }, value: check }]);
      expect(await answer(getContractMetadata, store, of(TOKENS.nft), labelled)).toEqual({ ...named, ercType: "UNKNOWN" });
    });
  });
});
