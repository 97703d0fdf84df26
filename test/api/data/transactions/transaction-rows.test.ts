/**
 * The number of rows read for a page of transactions or blocks depends on its size and the number of merged ranges, not on its position in
 * a history a hundred times as long as the largest page.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAssetTransactions } from "../../../../src/api/data/assets/list-asset-transactions.ts";
import { listBlocksOfNode } from "../../../../src/api/data/blocks/list-blocks-of-node.ts";
import { listLatestBlocks } from "../../../../src/api/data/blocks/list-latest-blocks.ts";
import type { Position } from "../../../../src/api/data/context.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { listActiveStakingTransactions } from "../../../../src/api/data/staking/list-active-staking-transactions.ts";
import { listLatestTransactions } from "../../../../src/api/data/transactions/list-latest-transactions.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import type { ShortId } from "../../../../src/base/bytes/id.ts";
import { View } from "../../../../src/base/table/view.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, primaryChains, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { listStaking } from "../../../../src/index/primary/staking/staking-changes.ts";
import { transactionClasses } from "../../../../src/index/primary/transactions/transaction-classes.ts";
import { ordinalOf } from "../../../../src/index/primary/transactions/transaction-order.ts";
import { stakingPlaces } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { type ModelTx, type Plan, proposerId, someId, TransactionWorld } from "../../../index/primary/transactions/transaction-world.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { drawn } from "../../../share.ts";
import { ask } from "../staking/request.ts";

const COUNT = 10_000;

/** Names an output of every transaction. */
const EXCHANGE: ShortId = "e".repeat(40);
/** All of them are named by every 16th transaction, each alone by few. */
const CROWD: readonly ShortId[] = Array.from({ length: 64 }, (_, i) => someId(`one of many ${i}`).slice(0, 40));
const ACCOUNT: ShortId = "ac".repeat(20);
const VALIDATION = someId("L1 validator");
const NODE = "busy node";

/** Nearly all are of one type; another one occurs at the beginning and never again. */
function planOf(chain: PrimaryChain, i: number): Plan {
  const owners = i % 16 === 0 ? [EXCHANGE, ...CROWD] : [EXCHANGE, CROWD[i % 64]!];
  if (chain === C_CHAIN)
    return i === 3
      ? { type: "ImportTx", consumed: [owners], accounts: [ACCOUNT] }
      : { type: "ExportTx", emitted: [owners], accounts: [ACCOUNT] };
  if (chain === X_CHAIN) return { type: i === 3 ? "CreateAssetTx" : "BaseTx", emitted: [owners], consumed: [[EXCHANGE]] };
  return { type: i === 3 ? "DisableL1ValidatorTx" : "IncreaseL1ValidatorBalanceTx", emitted: [owners], validations: [VALIDATION] };
}

async function fill(): Promise<void> {
  const world = new TransactionWorld(store);
  await world.haveAssets([network.avaxAssetId]);
  for (let i = 0; i < COUNT; i += 2) {
    for (const chain of primaryChains) {
      // several blocks of a second
      world.block({ chain, timestamp: BigInt(i >> 2), proposer: NODE, plans: [planOf(chain, i), planOf(chain, i + 1)] });
    }
    if (i % 1000 === 0) await world.commit();
  }
  await world.commit();
  await listAsStaking(world.txs.filter(({ chain }) => chain === P_CHAIN));
}

/** As if all transactions of P had made stakers that are active: nearly all of one type, too. */
async function listAsStaking(txs: readonly ModelTx[]): Promise<void> {
  const view = new View();
  for (const [i, { txId, timestamp, emitted = [] }] of txs.entries()) {
    const type = i === 3 ? transactionClasses.AddValidatorTx : transactionClasses.AddDelegatorTx;
    const place = { class: type, timestamp, ordinal: ordinalOf(i >> 1, i % 2) };
    view.put(stakingPlaces, { txId }, { ...place, staker: undefined, listedUnder: undefined });
    listStaking(view, txId, emitted.flat());
  }
  await store.commit(view.drain());
}

const directory = mkdtempSync(join(tmpdir(), "firn-transaction-rows-"));
let store: Store;

beforeAll(async () => {
  store = await openStore({ directory, mode: "write", isTemporary: true });
  await fill();
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

type Query = Readonly<Record<string, string | readonly string[]>>;

interface Request {
  readonly route: AnyDataRoute;
  readonly chain: PrimaryChain;
  readonly query: Query;
  readonly params?: Readonly<Record<string, string>>;
  readonly items: "transactions" | "blocks";
}

/** In the middle, near both ends. */
const POSITIONS: readonly (Position | undefined)[] = [undefined, ...[COUNT >> 1, 5, COUNT - 5].map(positionOf)];

function positionOf(i: number): Position {
  return { timestamp: BigInt(i >> 2), ordinal: ordinalOf(i >> 1, i % 2), height: BigInt((i >> 1) + 1), index: i % 2 };
}

/** The most rows and ranges that a page read. */
async function mostReads({ route, chain, query, params = {}, items }: Request): Promise<number> {
  let most = 0;
  for (const after of POSITIONS) {
    const reader = new CountingReader(store);
    const { body } = await ask(route, reader, { network, clock: 0n, chain }, query, { params, after });
    expect((body[items] as unknown[]).length).toBeLessThanOrEqual(Number(query.pageSize));
    most = Math.max(most, reader.reads);
  }
  return most;
}

/** Subsets of the filters, every one of them. */
function combinations(filters: readonly Query[]): Query[] {
  let all: Query[] = [{}];
  for (const filter of filters) all = all.flatMap((one) => [one, { ...one, ...filter }]);
  return all;
}

const bech32 = (owner: ShortId) => encodeBech32(network.hrp, owner);
const addressLists: Readonly<Record<string, string>> = {
  "the exchange": bech32(EXCHANGE),
  "64 owners": CROWD.map(bech32).join(","),
  "the exchange and a stranger": [EXCHANGE, "0".repeat(40)].map(bech32).join(","),
};
const typeLists: Readonly<Record<string, readonly string[]>> = {
  "the usual types": ["BaseTx", "IncreaseL1ValidatorBalanceTx", "ExportTx"],
  "a type that occurred once": ["CreateAssetTx", "DisableL1ValidatorTx", "ImportTx"],
  "types that never occurred": ["OperationTx", "TransformSubnetTx", "UNKNOWN"],
};

/** With either bound, both, or none, and in both orders. */
const times: readonly Query[] = [{ startTimestamp: `${COUNT >> 5}` }, { endTimestamp: `${COUNT >> 3}` }];
const timesAndOrders = combinations([...times, { sortOrder: "asc" }]);

const PAGE_SIZES = [1, 10, 100];

/** Rows that an item costs: in the list, in the order, itself, its block, and its UTXOs with what spends them. */
const ROWS_PER_ITEM = 10;

/** @param repeated ranges that have the same item */
async function hold(request: Request, { ranges, repeated = 1 }: { ranges: number; repeated?: number }): Promise<void> {
  const about = JSON.stringify([request.route.path, request.chain, request.query]);
  for (const size of drawn(about, PAGE_SIZES, 1)) {
    const query = { ...request.query, pageSize: `${size}` };
    // a range that is opened gives two rows, and may have to be read on
    const most = (ROWS_PER_ITEM + 2 * repeated) * (size + 1) + 5 * ranges;
    expect(await mostReads({ ...request, query }), JSON.stringify(query)).toBeLessThanOrEqual(most);
  }
}

const types = [undefined, ...Object.values(typeLists)].map((txTypes): Query => (txTypes === undefined ? {} : { txTypes }));

describe.each(primaryChains)("transactions of chain %i", (chain) => {
  const route = { route: listLatestTransactions, chain, items: "transactions" } as const;

  test("of the whole chain, in both orders", async () => {
    for (const query of combinations([{ sortOrder: "asc" }])) await hold({ ...route, query }, { ranges: 1 });
  });

  test.each(Object.entries(addressLists))(
    "of %s, with any types, times and order",
    async (name, addresses) => {
      // a transaction of all owners is in the ranges of all
      const cost = { ranges: addresses.split(",").length * 5, repeated: name === "64 owners" ? 64 : 1 };
      for (const txTypes of types) {
        for (const filters of timesAndOrders) await hold({ ...route, query: { addresses, ...filters, ...txTypes } }, cost);
      }
    },
    60_000,
  );
});

test("transactions of accounts and owners of the C-chain together", async () => {
  const addresses = `0x${ACCOUNT},${bech32(EXCHANGE)}`;
  const route = { route: listLatestTransactions, chain: C_CHAIN, items: "transactions" } as const;
  for (const txTypes of types) await hold({ ...route, query: { addresses, ...txTypes } }, { ranges: 4, repeated: 2 });
});

test("transactions of an L1 validator, with any owners, types, times and order", async () => {
  const route = { route: listLatestTransactions, chain: P_CHAIN, items: "transactions" } as const;
  const l1ValidationId = formatId(VALIDATION);
  for (const addresses of [undefined, ...Object.values(addressLists)]) {
    const owners = addresses?.split(",").length ?? 1;
    for (const txTypes of types) {
      for (const filters of timesAndOrders) {
        const query = { l1ValidationId, ...(addresses && { addresses }), ...filters, ...txTypes };
        await hold({ ...route, query }, { ranges: owners * 5, repeated: owners });
      }
    }
  }
});

test("staking transactions, of all and of any owners, with any types, times and order", async () => {
  const route = { route: listActiveStakingTransactions, chain: P_CHAIN, items: "transactions" } as const;
  const stakingTypes = [undefined, ["AddDelegatorTx"], ["AddValidatorTx", "AddSubnetValidatorTx"], ["UNKNOWN"], ["BaseTx"]];
  for (const addresses of [undefined, ...Object.values(addressLists)]) {
    const owners = addresses?.split(",").length ?? 1;
    for (const txTypes of stakingTypes) {
      for (const filters of timesAndOrders) {
        const query = { ...(addresses && { addresses }), ...filters, ...(txTypes && { txTypes }) };
        await hold({ ...route, query }, { ranges: owners * 6, repeated: owners });
      }
    }
  }
});

test("transactions of an asset, with any types and times", async () => {
  const params = { assetId: formatId(network.avaxAssetId) };
  const route = { route: listAssetTransactions, chain: X_CHAIN, items: "transactions", params } as const;
  for (const txTypes of types) {
    for (const filters of combinations(times)) await hold({ ...route, query: { ...filters, ...txTypes } }, { ranges: 5 });
  }
});

test.each(primaryChains)("blocks of chain %i, of all and of a node, at any time", async (chain) => {
  const ofNode = { route: listBlocksOfNode, chain, items: "blocks" as const, params: { nodeId: formatNodeId(proposerId(NODE)) } };
  for (const request of [{ route: listLatestBlocks, chain, items: "blocks" as const }, ofNode]) {
    for (const query of combinations(times)) await hold({ ...request, query }, { ranges: 1 });
  }
});
