/**
 * The number of rows read for pages of UTXOs and balances depends on their size and the requested owner groups, not on the number of UTXOs.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getLastActivityTimestampByAddresses } from "../../../../src/api/data/utxos/get-last-activity.ts";
import { getChainIdsForAddresses } from "../../../../src/api/data/utxos/list-chain-ids.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { readBalances } from "../../../../src/index/primary/balances/balance-reader.ts";
import { P_CHAIN, type PrimaryChain, primaryChains, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import type { Owners } from "../../../../src/index/primary/utxos/owner-group-reader.ts";
import { SHORT } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { MEDIUM } from "../../../../src/index/primary/utxos/utxo-lists.ts";
import { readUtxoPage, type UtxoPage } from "../../../../src/index/primary/utxos/utxo-reader.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import { ask } from "../../../api/data/staking/request.ts";
import { drawn } from "../../../share.ts";
import { CountingReader } from "../../counting-reader.ts";
import { Crowd, NAMED, NAMED_GROUPS, OVER_NEW, OVER_OLD, POOR, RICH, TRIO } from "./utxo-crowd.ts";
import { ASSETS, STRANGER } from "./utxo-lives.ts";
import { byPlace, expectedBalances, isSeen, type Query } from "./utxo-loops.ts";
import { type LivingUtxo, network, newUtxo, UtxoWorld } from "./utxo-world.ts";

/** A hundred times as many UTXOs as the largest page has, ten times as many as any bound below. */
const COUNT = 10_000;

const directory = mkdtempSync(join(tmpdir(), "firn-rows-"));
let store: LmdbStore;
let crowd: Crowd;

beforeAll(async () => {
  store = new LmdbStore({ directory, isReadOnly: false, isTemporary: true });
  crowd = await Crowd.make(store, COUNT);
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Whose UTXOs are asked for, and how many owner groups these are at most. */
const asked: [string, Owners, number][] = [
  ["somebody unknown", [STRANGER], 0],
  ["the whole chain", undefined, 1],
  ["one rich address", [RICH], 2],
  ["an address in many groups", [NAMED], NAMED_GROUPS],
  ["two of three owners", TRIO.slice(0, 2), 2],
  ["64 addresses", [...POOR.slice(0, 62), RICH, NAMED], 64 + NAMED_GROUPS],
  ["1024 addresses", [...POOR, RICH, NAMED, ...TRIO.slice(1)], 1024 + NAMED_GROUPS],
];

/** What a page reads: its share of each range that is merged, owner groups, and of the class of the least amount what is sorted. */
function mostReads({ limit, owners, minAmount }: Query, groups: number, unsorted: number): number {
  const border = minAmount === OVER_NEW ? 1100 : 0;
  return 4 * limit + 170 + 2 * (owners?.length ?? 0) + 6 * groups + border + unsorted;
}

/** UTXOs in lists that have no order by amount: of each at most MEDIUM, however many UTXOs there are. */
function unsortedOf(seen: readonly LivingUtxo[], { chain, owners, assetId, includeSpent, minAmount, sortBy }: Query): number {
  if (sortBy === "timestamp" && minAmount === 0n) return 0;
  const lists = new Map<string, { all: number; read: number }>();
  for (const utxo of seen) {
    if (chain === X_CHAIN && assetId !== undefined && utxo.assetId !== assetId) continue;
    const isOther = chain === X_CHAIN && utxo.assetId !== network.avaxAssetId;
    const owner = owners === undefined ? "all" : [utxo.owner.threshold, ...utxo.owner.addresses].join();
    const name = `${owner} ${isOther ? (assetId ?? "others") : "AVAX"}`;
    const list = lists.get(name) ?? { all: 0, read: 0 };
    lists.set(name, { all: list.all + 1, read: list.read + Number(includeSpent || utxo.spent === undefined) });
  }
  return [...lists.values()].reduce((sum, { all, read }) => sum + (all > SHORT && all <= MEDIUM ? read : 0), 0);
}

function rankOf(sortBy: Query["sortBy"]): (utxo: LivingUtxo) => bigint {
  return (utxo) => (sortBy === "amount" ? utxo.amount : utxo.created!);
}

/** Every combination of filters and orders, with the list that it asks for. */
function* lists(chain: PrimaryChain, owners: Owners): Generator<{ query: Query; listed: () => LivingUtxo[]; unsorted: () => number }> {
  const seen = crowd.utxos.filter((utxo) => isSeen(utxo, chain, owners));
  let combination = 0;
  for (const sortBy of ["timestamp", "amount"] as const) {
    const rank = rankOf(sortBy);
    const sorted = seen.toSorted((a, b) => (rank(a) === rank(b) ? (a.utxoId < b.utxoId ? -1 : 1) : rank(a) < rank(b) ? -1 : 1));
    for (const assetId of chain === X_CHAIN ? [undefined, ...ASSETS.slice(0, 2)] : [undefined]) {
      for (const minAmount of [0n, 30n, OVER_NEW, OVER_OLD, 2n ** 50n]) {
        for (const includeSpent of [false, true]) {
          const ascending = () =>
            sorted.filter(
              (utxo) =>
                utxo.amount >= minAmount &&
                (includeSpent || utxo.spent === undefined) &&
                (assetId === undefined || utxo.assetId === assetId),
            );
          for (const isDescending of [false, true]) {
            const limit = [10, 25, 100][combination++ % 3]!;
            const query = { chain, owners, assetId, minAmount, includeSpent, sortBy, isDescending, limit };
            yield { query, listed: () => (isDescending ? ascending().toReversed() : ascending()), unsorted: () => unsortedOf(seen, query) };
          }
        }
      }
    }
  }
}

test.each(asked)("first, middle and last pages of %s cost the same, under any filter and order", async (about, owners, groups) => {
  for (const chain of primaryChains) {
    const all = [...lists(chain, owners)];
    for (const { query, ...found } of drawn(`${about} ${chain}`, all, all.length / 12)) {
      const [listed, unsorted] = [found.listed(), found.unsorted()];
      for (const start of [0, listed.length >> 1, Math.max(0, listed.length - query.limit)]) {
        const before = listed[start - 1];
        const after = before && { rank: rankOf(query.sortBy)(before), utxoId: before.utxoId };
        const reader = new CountingReader(store);
        const { utxos, next } = await readUtxoPage(reader, network, { ...query, after });
        const page = `${chain} ${query.sortBy} ${query.minAmount} ${query.includeSpent} ${query.isDescending} from ${start}`;
        const end = start + query.limit;
        expect(idsOf(utxos), page).toEqual(idsOf(listed.slice(start, end)));
        expect(next === undefined, page).toBe(end >= listed.length);
        expect(reader.reads, page).toBeLessThanOrEqual(mostReads(query, groups, unsorted));
      }
    }
  }
});

function idsOf(utxos: readonly { readonly utxoId: string }[]): string[] {
  return utxos.map(({ utxoId }) => utxoId);
}

test.each(asked)("balances of %s, now and at any time, cost the same", async (_, owners, groups) => {
  const { end: clock, utxos } = crowd;
  const created = utxos[COUNT >> 1]!.created!;
  for (const chain of primaryChains) {
    for (const at of [undefined, 1n, 1000n, 1001n, created, created + 1n, clock - 1n, clock + 1n, clock + 20_000n]) {
      const reader = new CountingReader(store);
      const found = await readBalances(reader, chain, owners, { at, clock });
      expect(byPlace(found), `${chain} at ${at}`).toEqual(expectedBalances(utxos, chain, owners, at, clock));
      const addresses = owners?.length ?? 0;
      const most = at === undefined ? 250 + 2 * addresses + 6 * groups : 1100 + 2 * addresses + 12 * groups;
      expect(reader.reads, `${chain} at ${at}`).toBeLessThanOrEqual(most);
    }
  }
});

/** When a UTXO was last made or spent, as far as the chains of the store have come. */
function activityOf({ created, spent }: LivingUtxo): number {
  return Number(spent ?? created);
}

test.each(asked.filter(([, owners]) => (owners?.length ?? 0) <= 64))(
  "the last activity of %s costs rows by owner groups",
  async (_, owners, groups) => {
    for (const chain of primaryChains) {
      const named = crowd.utxos.filter(
        (utxo) => isOn(utxo, chain) && (owners === undefined || utxo.owner.addresses.some((address) => owners.includes(address))),
      );
      const reader = new CountingReader(store);
      const query = owners === undefined ? {} : { addresses: csvOf(owners) };
      const answer = ask(getLastActivityTimestampByAddresses, reader, { network, clock: crowd.end, chain }, query);
      if (named.length === 0) await expect(answer).rejects.toThrow(/ever active/);
      else {
        expect((await answer).body.timestamp).toBe(Math.max(...named.map(activityOf)));
      }
      // groups of any threshold: a row for itself, and one that says when
      expect(reader.reads).toBeLessThanOrEqual(10 + 2 * (owners?.length ?? 0) + 4 * groups);
    }
  },
);

test("the chains of addresses cost a range for each address and chain", async () => {
  const addresses = [STRANGER, RICH, NAMED, ...TRIO, ...POOR.slice(0, 58)];
  const reader = new CountingReader(store);
  const { body } = await ask(getChainIdsForAddresses, reader, { network, clock: crowd.end }, { addresses: csvOf(addresses) });
  const found = (body.addresses as { blockchainIds: string[] }[]).map(({ blockchainIds }) => blockchainIds.length);
  const chainsOf = (address: string) =>
    primaryChains.filter((chain) => crowd.utxos.some((utxo) => isOn(utxo, chain) && utxo.owner.addresses.includes(address))).length;
  expect(found).toEqual(addresses.map(chainsOf).filter((count) => count > 0));
  expect(reader.reads).toBeLessThanOrEqual(2 * primaryChains.length * addresses.length);
});

function isOn({ createdOn, consumedOn }: Pick<LivingUtxo, "createdOn" | "consumedOn">, chain: PrimaryChain): boolean {
  return createdOn === chain || consumedOn === chain;
}

function csvOf(addresses: readonly string[]): string {
  return addresses.map((address) => encodeBech32(network.hrp, address)).join();
}

test("a page ends early rather than pass over any number of UTXOs that are too small", async () => {
  const world = new UtxoWorld(store);
  const owner = { threshold: 1, addresses: ["e".repeat(40)] };
  const kind = { createdOn: P_CHAIN, consumedOn: P_CHAIN, owner, assetId: network.avaxAssetId, isNft: false, locktime: 0n } as const;
  const large = 1100;
  for (let i = 0; i < 6000; i++) {
    const amount = i < large ? OVER_NEW + BigInt(i) : OVER_NEW - BigInt(i);
    const utxo = newUtxo({ ...kind, amount, stakeableLocktime: undefined });
    const time = crowd.end + BigInt(i);
    await world.block(P_CHAIN, time, [utxo], (ledger) => ledger.create({ utxoId: utxo.utxoId, bytes: utxo.bytes }));
    world.utxos.push(utxo);
  }
  await world.commit();
  const query: Query = {
    ...{ chain: P_CHAIN, owners: owner.addresses, assetId: undefined, minAmount: OVER_NEW },
    ...{ includeSpent: true, sortBy: "timestamp", isDescending: true, limit: 100 },
  };
  const found: string[] = [];
  const sizes: number[] = [];
  for (let after: UtxoPage["next"]; sizes.length === 0 || after !== undefined; ) {
    const reader = new CountingReader(store);
    const page = await readUtxoPage(reader, network, { ...query, after });
    expect(reader.reads).toBeLessThanOrEqual(7000);
    found.push(...idsOf(page.utxos));
    sizes.push(page.utxos.length);
    after = page.next;
  }
  expect(found).toEqual(idsOf(world.utxos.slice(0, large).toReversed()));
  expect(sizes).toEqual([0, ...Array(large / query.limit).fill(query.limit)]);
});
