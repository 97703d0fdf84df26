/** Requests to every route of EVM chains for the busy address; for lists, the first, middle and last pages. */

import type { Position } from "../../src/api/data/context.ts";
import { formatEvmAddress } from "../../src/base/bytes/evm-address.ts";
import { ERC20, ERC721, ERC1155 } from "../../src/evm/facts.ts";
import { type ListPages, withParameters } from "../data-pages.ts";
import type { BenchTokens } from "../data-tokens.ts";
import type { LoadRequest } from "../load.ts";
import {
  BUSIEST_COIN,
  BUSY,
  blockHash,
  CHAIN_ID,
  COINS,
  COLLECTION,
  coin,
  DEPLOYS_EACH,
  deployed,
  MULTI_TOKEN,
  PER_BLOCK,
  PIECES,
  placeOf,
  TRANSFERS_PER_TRANSACTION,
  timeOf,
  transactionHash,
} from "./busy-address.ts";

export interface BusyList {
  readonly name: string;
  readonly path: string;
  readonly items: number;
  /** the position of the item that has `rank` items before it in the list */
  positionOf(rank: number): Position;
}

const CHAIN = `/v1/chains/${CHAIN_ID}`;
const ADDRESS = `${CHAIN}/addresses/${formatEvmAddress(BUSY)}`;
const key = (tokenId: number) => tokenId.toString(16).padStart(64, "0");

export function busyLists(transactions: number): BusyList[] {
  const blocks = Number(placeOf(transactions - 1).height) + 1;
  /** the number of the transaction for an item of a list that starts with the newest */
  const newest = (rank: number) => transactions - 1 - rank;
  const byTransaction = (name: string, path: string): BusyList => ({
    name,
    path,
    items: transactions,
    positionOf: (rank) => placeOf(newest(rank)),
  });
  const transfer = (n: number, log: number): Position => {
    const { height, index } = placeOf(n);
    return { height, index, logIndex: TRANSFERS_PER_TRANSACTION * index + log, batchIndex: 0 };
  };
  const byTransfer = (name: string, path: string, log: number): BusyList => ({
    ...{ name, path, items: transactions },
    positionOf: (rank) => transfer(newest(rank), log),
  });
  const holding = (kind: number, token: string, tokenId: number): Position => ({ kind, token, tokenId: key(tokenId) });
  const nfts = (name: string, path: string): BusyList => ({
    ...{ name, path, items: transactions },
    positionOf: (rank) => holding(ERC721, COLLECTION, rank),
  });
  return [
    byTransaction("transactions of an address", `${ADDRESS}/transactions`),
    {
      ...byTransaction("transactions of an address, oldest first", `${ADDRESS}/transactions?sortOrder=asc`),
      positionOf: (rank) => placeOf(rank),
    },
    byTransaction("transactions of an address, v2, without spam", `${ADDRESS.replace("/v1", "/v2")}/transactions?filterSpamTokens=true`),
    byTransaction("native transactions of an address", `${ADDRESS}/transactions:listNative`),
    {
      ...{ name: "ERC-20 transfers of an address", path: `${ADDRESS}/transactions:listErc20`, items: 2 * transactions },
      positionOf: (rank) => transfer(newest(Math.floor(rank / 2)), rank % 2 === 0 ? 1 : 0),
    },
    byTransfer("ERC-721 transfers of an address", `${ADDRESS}/transactions:listErc721`, 2),
    byTransfer("ERC-1155 transfers of an address", `${ADDRESS}/transactions:listErc1155`, 3),
    {
      ...byTransaction("internal transactions of an address", `${ADDRESS}/transactions:listInternals`),
      positionOf: (rank) => ({ ...placeOf(newest(rank)), position: 0 }),
    },
    {
      name: "deployments of an address",
      path: `${CHAIN}/contracts/${formatEvmAddress(BUSY)}/deployments`,
      items: Math.ceil(transactions / DEPLOYS_EACH),
      positionOf: (rank) => ({ ...placeOf(DEPLOYS_EACH * (Math.ceil(transactions / DEPLOYS_EACH) - 1 - rank)), position: 0 }),
    },
    byTransfer("transfers of a token", `${CHAIN}/tokens/${formatEvmAddress(BUSIEST_COIN)}/transfers`, 0),
    {
      ...{ name: "ERC-20 balances of an address", path: `${ADDRESS}/balances:listErc20`, items: COINS },
      positionOf: (rank) => holding(ERC20, coin(rank), 0),
    },
    {
      ...{ name: "ERC-20 balances of an address, in the past", items: COINS },
      path: `${ADDRESS}/balances:listErc20?blockNumber=${Math.floor(blocks / 2)}`,
      positionOf: (rank) => holding(ERC20, coin(rank), 0),
    },
    nfts("ERC-721 balances of an address", `${ADDRESS}/balances:listErc721`),
    {
      ...{ name: "ERC-1155 balances of an address", path: `${ADDRESS}/balances:listErc1155`, items: Math.min(PIECES, transactions) },
      positionOf: (rank) => holding(ERC1155, MULTI_TOKEN, rank),
    },
    nfts("collectibles of an address", `${ADDRESS}/balances:listCollectibles`),
    {
      ...{ name: "tokens of a collection", path: `${CHAIN}/nfts/collections/${formatEvmAddress(COLLECTION)}/tokens`, items: transactions },
      positionOf: (rank) => ({ tokenId: key(rank) }),
    },
    {
      ...{ name: "blocks of a chain", path: `${CHAIN}/blocks`, items: blocks },
      positionOf: (rank) => ({ height: BigInt(blocks - 1 - rank) }),
    },
    byTransaction("transactions of a chain", `${CHAIN}/transactions`),
    byTransaction("transactions of a chain that succeeded", `${CHAIN}/transactions?status=success`),
    {
      ...byTransaction("transactions of all chains", "/v1/transactions"),
      positionOf(rank) {
        const place = placeOf(newest(rank));
        return { timestamp: timeOf(place.height), chainId: CHAIN_ID, ...place };
      },
    },
    {
      name: "transactions of a block",
      path: `${CHAIN}/blocks/1/transactions`,
      items: Math.min(PER_BLOCK, transactions),
      positionOf: (rank) => ({ index: rank }),
    },
  ];
}

/** Number of pages requested in turn; several are used, so that no answer repeats the previous one. */
const DISTINCT_PAGES = 10;

export function pagesOf({ path, items, positionOf }: BusyList, pageSize: number, tokens: BenchTokens): ListPages {
  const first = withParameters(path, { pageSize });
  const behind = (rank: number): LoadRequest => {
    const token = tokens.seal({ path }, positionOf(rank - 1));
    return { path: withParameters(first, { pageToken: token }) };
  };
  const pages = (from: number) => Array.from({ length: DISTINCT_PAGES }, (_, i) => behind(Math.max(1, from + i * pageSize)));
  return {
    walked: `${Math.ceil(items / 100)}`,
    first: [{ path: first }],
    middle: pages(Math.floor(items / 2 / pageSize) * pageSize),
    last: pages(items - DISTINCT_PAGES * pageSize),
  };
}

const DISTINCT = 200;

export function busyPoints(transactions: number): { name: string; requests: LoadRequest[] }[] {
  const many = (path: (n: number) => string): LoadRequest[] =>
    Array.from({ length: DISTINCT }, (_, i) => ({ path: path(Math.floor((i * transactions) / DISTINCT)) }));
  const deployment = (n: number) => n - (n % DEPLOYS_EACH);
  const holder = (n: number) => formatEvmAddress(coin(n % COINS));
  return [
    { name: "one transaction", requests: many((n) => `${CHAIN}/transactions/0x${transactionHash(n)}`) },
    { name: "one block, by its hash", requests: many((n) => `${CHAIN}/blocks/0x${blockHash(placeOf(n).height)}`) },
    { name: "all transactions of a block", requests: many((n) => `${CHAIN}/blocks/${placeOf(n).height}/transactions`) },
    { name: "native balance", requests: many((n) => `${ADDRESS}/balances:getNative?blockNumber=${placeOf(n).height}`) },
    { name: "metadata of a contract", requests: many((n) => `${CHAIN}/addresses/${holder(n)}`) },
    { name: "one NFT", requests: many((n) => `${CHAIN}/nfts/collections/${formatEvmAddress(COLLECTION)}/tokens/${n}`) },
    {
      name: "deployment of a contract",
      requests: many((n) => `${CHAIN}/contracts/${formatEvmAddress(deployed(deployment(n)))}/transactions:getDeployment`),
    },
    { name: "chains of an address", requests: many((n) => `/v1/address/${holder(n)}/chains`) },
    { name: "all chains", requests: [{ path: "/v1/chains" }] },
    { name: "newest blocks of all chains", requests: [{ path: "/v1/blocks" }] },
  ];
}
