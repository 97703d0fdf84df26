import fc from "fast-check";
import { expect, test } from "vitest";
import { X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import {
  GROUP_SIZE,
  grouped,
  type OrderPlace,
  ordinalOf,
  packIds,
  scanTransactions,
  transactionsAt,
} from "../../../../src/index/primary/transactions/transaction-order.ts";
import { transactionOrder } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import { MemoryReader } from "../../../api/rpc/memory-reader.ts";
import { someId } from "./transaction-world.ts";

interface Accepted {
  readonly height: bigint;
  readonly timestamp: bigint;
  readonly count: number;
}

/** Blocks and vertices in order of acceptance. The source may have accepted a vertex before an earlier one, by its clock. */
const accepted: fc.Arbitrary<Accepted[]> = fc.array(
  fc.record({ height: fc.bigInt(0n, 3n), timestamp: fc.bigInt(0n, 6n), count: fc.oneof(fc.nat(4), fc.nat(3 * GROUP_SIZE)) }),
  { maxLength: 12 },
);

/** Writes the rows as the projection does, and returns all transactions in the order of lists. */
function fill(reader: MemoryReader, items: readonly Accepted[]) {
  const all: { txId: string; height: bigint; place: OrderPlace }[] = [];
  let group = 0;
  for (const { height, timestamp, count } of items) {
    const txs = Array.from({ length: count }, (_, i) => ({ txId: someId(`${group} ${i}`), height, timestamp }));
    for (const members of grouped(txs)) {
      const txIds = packIds(members.map(({ txId }) => txId));
      reader.put(transactionOrder, { chain: X_CHAIN, timestamp, group }, { height, txIds });
      for (const [i, { txId }] of members.entries()) all.push({ txId, height, place: { timestamp, ordinal: ordinalOf(group, i) } });
      group++;
    }
  }
  return all.sort((a, b) => Number(a.place.timestamp - b.place.timestamp) || Number(a.place.ordinal - b.place.ordinal));
}

test("pages from any place, between any times, in both directions are slices of all transactions by time and acceptance", async () => {
  const time = fc.option(fc.bigInt(0n, 7n), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(accepted, time, time, fc.boolean(), fc.integer({ min: 1, max: 80 }), async (items, first, last, reverse, limit) => {
      const reader = new MemoryReader();
      const all = fill(reader, items);
      let rest = (reverse ? all.toReversed() : all).filter(({ place: { timestamp } }) =>
        reverse
          ? (first === undefined || timestamp <= first) && (last === undefined || timestamp > last)
          : (first === undefined || timestamp >= first) && (last === undefined || timestamp < last),
      );
      const range = {
        ...(first !== undefined && { from: { timestamp: first } }),
        ...(last !== undefined && { until: { timestamp: last } }),
        ...{ reverse, limit },
      };
      let after: OrderPlace | undefined;
      for (;;) {
        reader.rowsRead = 0;
        const page = await scanTransactions(reader, X_CHAIN, { ...range, ...(after && { after }) });
        expect(page).toEqual(rest.slice(0, limit));
        expect(reader.rowsRead).toBeLessThanOrEqual(limit + 1);
        if (page.length < limit) return;
        rest = rest.slice(limit);
        after = page.at(-1)!.place;
      }
    }),
  );
});

test("a transaction is found at its place, and those of one group cost one row", async () => {
  const reader = new MemoryReader();
  const all = fill(reader, [
    { height: 0n, timestamp: 5n, count: 2 * GROUP_SIZE + 1 },
    { height: 1n, timestamp: 4n, count: 3 },
  ]);
  reader.rowsRead = 0;
  const places = all.toReversed().map(({ place }) => place);
  expect(await transactionsAt(reader, X_CHAIN, places)).toEqual(all.toReversed());
  expect(reader.rowsRead).toBe(4);
});

test("neither two heights nor two times share a group", () => {
  const tx = (height: bigint, timestamp: bigint) => ({ height, timestamp });
  expect(grouped([tx(1n, 1n), tx(1n, 1n), tx(2n, 1n), tx(2n, 2n)]).map(({ length }) => length)).toEqual([2, 1, 1]);
});
