/** Compares lists of transactions, with every filter, with loops over all transactions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listAssetTransactions } from "../../../../src/api/data/assets/list-asset-transactions.ts";
import type { Position } from "../../../../src/api/data/context.ts";
import { listLatestTransactions } from "../../../../src/api/data/transactions/list-latest-transactions.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../../src/base/bytes/id.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, primaryChains, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import {
  ACCOUNTS,
  ASSETS,
  OWNERS,
  RandomTransactions,
  TYPES,
  VALIDATIONS,
} from "../../../index/primary/transactions/random-transactions.ts";
import { type ModelTx, someId, TransactionWorld } from "../../../index/primary/transactions/transaction-world.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { ask, walk } from "../staking/request.ts";

const STRANGER: ShortId = "f".repeat(40);
const asked = (chain: PrimaryChain) => ({ network, clock: 0n, chain });

interface Query {
  readonly chain: PrimaryChain;
  readonly owners?: readonly ShortId[] | undefined;
  readonly accounts?: readonly ShortId[] | undefined;
  readonly validationId?: Id | undefined;
  readonly assetId?: Id | undefined;
  readonly txTypes?: readonly string[] | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly sortOrder?: "asc" | "desc" | undefined;
}

/** What official clients call it. */
const nameOf = (type: string) => (type.includes("AutoRenewed") ? "UNKNOWN" : type);

function expected(
  txs: readonly ModelTx[],
  { chain, owners, accounts, validationId, assetId, txTypes, start, end, sortOrder }: Query,
): string[] {
  const found = txs.filter((tx) => {
    const isNamed = [...(tx.consumed ?? []), ...(tx.emitted ?? [])].flat().some((owner) => owners?.includes(owner));
    const isDebited = (tx.accounts ?? []).some((account) => accounts?.includes(account));
    if (tx.chain !== chain || ((owners ?? accounts) !== undefined && !isNamed && !isDebited)) return false;
    if (validationId !== undefined && !tx.validations?.includes(validationId)) return false;
    const hasUtxos = (tx.consumed ?? []).length + (tx.emitted ?? []).length > 0;
    if (assetId !== undefined && (tx.assetId !== assetId || !hasUtxos)) return false;
    if (txTypes !== undefined && !txTypes.includes(nameOf(tx.type))) return false;
    return tx.timestamp >= BigInt(start ?? 0) && (end === undefined || tx.timestamp < BigInt(end));
  });
  return (sortOrder === "asc" ? found : found.reverse()).map(({ txId }) => formatId(txId));
}

function paramsOf({ owners, accounts, validationId, txTypes, start, end, sortOrder }: Query) {
  const addresses = [
    ...(owners ?? []).map((owner) => encodeBech32(network.hrp, owner)),
    ...(accounts ?? []).map((account) => `0x${account}`),
  ];
  return {
    ...(addresses.length > 0 && { addresses: addresses.join(",") }),
    ...(validationId && { l1ValidationId: formatId(validationId) }),
    ...(txTypes && { txTypes: txTypes as string[] }),
    ...(start !== undefined && { startTimestamp: `${start}` }),
    ...(end !== undefined && { endTimestamp: `${end}` }),
    ...(sortOrder && { sortOrder }),
  };
}

const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const some = <T>(items: readonly T[]) => fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 4 });

function queries(lastTime: number): fc.Arbitrary<Query> {
  const time = perhaps(fc.oneof(fc.integer({ min: 98, max: lastTime + 2 }), fc.constantFrom(0)));
  const order = perhaps(fc.constantFrom("asc" as const, "desc" as const));
  const types = [...new Set(primaryChains.flatMap((chain) => TYPES[chain].map(nameOf))), "TransformSubnetTx"];
  const filters = { txTypes: perhaps(some(types)), start: time, end: time, sortOrder: order };
  const chain = fc.constantFrom(...primaryChains);
  const owners = some([...OWNERS, STRANGER]);
  const validationId = fc.constantFrom(...VALIDATIONS, someId("nobody's"));
  return fc.oneof(
    fc.record({ chain, sortOrder: order }),
    fc.record({ chain, owners, ...filters }),
    fc.record({ chain: fc.constant(C_CHAIN), owners: perhaps(owners), accounts: some([...ACCOUNTS, STRANGER]), ...filters }),
    fc.record({ chain: fc.constant(P_CHAIN), validationId, owners: perhaps(owners), ...filters }),
    fc.record({ chain: fc.constant(X_CHAIN), assetId: fc.constantFrom(...ASSETS), ...filters, sortOrder: fc.constant(undefined) }),
  );
}

async function hashes(store: Store, query: Query, pageSize: number): Promise<unknown[]> {
  const params = { ...paramsOf(query), pageSize: `${pageSize}` };
  const items =
    query.assetId === undefined
      ? await walk(listLatestTransactions, store, asked(query.chain), params, "transactions")
      : await walk(listAssetTransactions, store, asked(query.chain), params, "transactions", { assetId: formatId(query.assetId) });
  return items.map(({ txHash }) => txHash);
}

describe("lists of transactions", () => {
  const directory = mkdtempSync(join(tmpdir(), "firn-transactions-"));
  let world: TransactionWorld;

  beforeAll(async () => {
    world = new TransactionWorld(await openStore({ directory, mode: "write" }));
    await world.haveAssets(ASSETS);
    const random = new RandomTransactions(world, 7);
    for (let batch = 0; batch < 12; batch++) await random.grow(10);
  });

  afterAll(async () => {
    await world.store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("hold what loops find, for any owners, accounts, L1 validators, assets, types and times, in pages of any size", async () => {
    expect(world.txs.length).toBeGreaterThan(150);
    const hold = async (query: Query, pageSize: number): Promise<void> => {
      expect(await hashes(world.store, query, pageSize), JSON.stringify(query)).toEqual(expected(world.txs, query));
    };
    await fc.assert(fc.asyncProperty(queries(Number(world.txs.at(-1)!.timestamp)), fc.integer({ min: 1, max: 30 }), hold), {
      numRuns: 150,
    });
  });

  test("show each transaction once although it names all owners that were asked for", async () => {
    for (const chain of primaryChains) {
      for (const sortOrder of ["asc", "desc"] as const) {
        const query = { chain, owners: OWNERS, sortOrder };
        expect(await hashes(world.store, query, 3)).toEqual(expected(world.txs, query));
      }
    }
  });
});

test("a walk while blocks are added shows every transaction that was there exactly once, whatever it is filtered by", async () => {
  const directory = mkdtempSync(join(tmpdir(), "firn-transactions-walk-"));
  const world = new TransactionWorld(await openStore({ directory, mode: "write" }));
  const random = new RandomTransactions(world, 8);
  await random.grow(60);
  const walks: Query[] = primaryChains.flatMap((chain): Query[] => [
    { chain },
    { chain, owners: OWNERS.slice(0, 2) },
    { chain, owners: OWNERS, txTypes: TYPES[chain].slice(1, 3).map(nameOf) },
  ]);
  walks.push({ chain: C_CHAIN, owners: OWNERS.slice(0, 1), accounts: ACCOUNTS });
  for (const query of walks.flatMap((one): Query[] => [one, { ...one, sortOrder: "asc" }])) {
    const before = expected(world.txs, query);
    const seen: string[] = [];
    let after: Position | undefined;
    do {
      const { body, next } = await ask(
        listLatestTransactions,
        world.store,
        asked(query.chain),
        { ...paramsOf(query), pageSize: "3" },
        { after },
      );
      seen.push(...(body.transactions as { txHash: string }[]).map(({ txHash }) => txHash));
      after = next;
      if (seen.length < 20) await random.grow(2);
    } while (after !== undefined);
    const known = new Set(before);
    expect(
      seen.filter((txHash) => known.has(txHash)),
      JSON.stringify(query),
    ).toEqual(before);
    expect(new Set(seen).size).toBe(seen.length);
  }
  await world.store.close();
  rmSync(directory, { recursive: true, force: true });
});
