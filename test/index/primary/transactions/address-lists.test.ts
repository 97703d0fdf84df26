/** Lists of addresses with more transactions than fit into a row, against filters of all transactions. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Table } from "../../../../src/base/table/table.ts";
import { type RowKey, View } from "../../../../src/base/table/view.ts";
import { findUnderAddresses } from "../../../../src/index/primary/transactions/address-list-reader.ts";
import { addressListFormat, listUnderAddress, writeAddressLists } from "../../../../src/index/primary/transactions/address-lists.ts";
import type { OrderPlace } from "../../../../src/index/primary/transactions/transaction-order.ts";
import { addressLists, addressTransactions } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import type { Store } from "../../../../src/store/store.ts";
import { withScratchStore } from "../../../store/scratch-store.ts";

const LIST = 0;
const ADDRESSES = ["0a", "0b"].map((byte) => byte.repeat(20));
const CLASSES = [1, 2, 12];

interface Addition {
  readonly place: OrderPlace & { readonly class: number };
  readonly addresses: readonly string[];
  readonly commits: boolean;
}

/** Mostly one after the other; sometimes one that was there before, under the same address or another one. */
const anyAdditions: fc.Arbitrary<Addition[]> = fc
  .array(
    fc.record({
      back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(300)),
      class: fc.constantFrom(1, 1, 1, 2, 12),
      addresses: fc.subarray(ADDRESSES, { minLength: 1 }),
      commits: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 * addressListFormat.short, size: "max" },
  )
  .map((steps) => {
    const classes = new Map<number, number>();
    return steps.map(({ back, addresses, commits, class: own }, i) => {
      const at = Math.max(0, i - back);
      classes.set(at, classes.get(at) ?? own);
      return { place: { timestamp: BigInt(at >> 2), ordinal: BigInt(at), class: classes.get(at)! }, addresses, commits };
    });
  });

async function write(store: Store, additions: readonly Addition[], isApart: (addition: Addition) => boolean): Promise<void> {
  const view = new View();
  const fetch = async (keys: readonly RowKey[]) => {
    for (const row of keys) if (!view.knows(row)) view.load(row.table, row.key, await store.get(row.table, row.key));
  };
  const commit = async () => {
    await writeAddressLists(view, fetch, store);
    await store.commit(view.drain());
    view.evict();
  };
  for (const addition of additions) {
    for (const address of addition.addresses) listUnderAddress(view, LIST, address, addition.place);
    if (isApart(addition)) await commit();
  }
  await commit();
}

const anyQuery = fc.record({
  addresses: fc.subarray([...ADDRESSES, "0c".repeat(20)], { minLength: 1 }),
  classes: fc.option(fc.subarray([...CLASSES, 3]), { nil: undefined }),
  reverse: fc.boolean(),
  /** lower and upper bound of time, upper excluded */
  least: fc.option(fc.bigInt(0n, 90n), { nil: undefined }),
  beyond: fc.option(fc.bigInt(0n, 90n), { nil: undefined }),
  after: fc.option(fc.nat(5 * addressListFormat.short), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 120 }),
});

type Query = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

function expected(additions: readonly Addition[], query: Query): bigint[] {
  const found = additions.filter(({ place: { timestamp, ordinal, class: own }, addresses }) => {
    const { classes, least, beyond, after, reverse } = query;
    if (!addresses.some((address) => query.addresses.includes(address)) || !(classes?.includes(own) ?? true)) return false;
    if (after !== undefined && (reverse ? ordinal >= BigInt(after) : ordinal <= BigInt(after))) return false;
    return timestamp >= (least ?? 0n) && timestamp < (beyond ?? 1000n);
  });
  const ordinals = [...new Set(found.map(({ place }) => Number(place.ordinal)))].sort((a, b) => a - b);
  return (query.reverse ? ordinals.reverse() : ordinals).slice(0, query.limit).map(BigInt);
}

test("pages of addresses, of any types, times and places, are those of all transactions", async () => {
  await fc.assert(
    fc.asyncProperty(anyAdditions, fc.array(anyQuery, { minLength: 25, maxLength: 25 }), (additions, queries) =>
      withScratchStore(async (store) => {
        await write(store, additions, ({ commits }) => commits);
        for (const query of queries) {
          const { addresses, classes, reverse, least, beyond, after, limit } = query;
          const start = reverse ? beyond && { timestamp: beyond - 1n } : least !== undefined && { timestamp: least };
          // a page after a place beyond the bounds is never asked for
          const isWithin =
            after === undefined ||
            start === undefined ||
            !start ||
            (reverse ? BigInt(after >> 2) <= start.timestamp : BigInt(after >> 2) >= start.timestamp);
          if (!isWithin || beyond === 0n) continue;
          const end = reverse ? least !== undefined && { timestamp: least - 1n } : beyond !== undefined && { timestamp: beyond };
          const range = {
            ...(start && { from: start }),
            ...(end && { until: end }),
            ...(after !== undefined && { after: { timestamp: BigInt(after >> 2), ordinal: BigInt(after) } }),
            reverse,
            limit,
          };
          const scopes = addresses.map((address) => ({ list: LIST, address }));
          const found = await findUnderAddresses(store, scopes, classes, range);
          expect(found.map(({ ordinal }) => ordinal)).toEqual(expected(additions, query));
        }
      }),
    ),
    { numRuns: 15 },
  );
});

test("rows do not depend on which transactions were committed together", async () => {
  await fc.assert(
    fc.asyncProperty(anyAdditions, async (additions) => {
      const ways = [() => false, () => true, ({ commits }: Addition) => commits];
      const [together, ...others] = await Promise.all(
        ways.map((isApart) =>
          withScratchStore(async (store) => {
            await write(store, additions, isApart);
            return allRows(store);
          }),
        ),
      );
      for (const other of others) expect(other).toEqual(together);
    }),
    { numRuns: 15 },
  );
});

async function allRows(store: Store): Promise<unknown[]> {
  const tables: readonly Table[] = [addressLists, addressTransactions];
  return Promise.all(tables.map((table) => store.scan(table, { limit: Number.MAX_SAFE_INTEGER })));
}
