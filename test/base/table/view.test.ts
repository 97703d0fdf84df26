import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { u8, u64 } from "../../../src/base/codec/codec.ts";
import { id, type TableKey, table } from "../../../src/base/table/table.ts";
import { NotPrefetchedError, rowKey, View } from "../../../src/base/table/view.ts";

const balances = table({ id: 900, name: "balances", key: { account: u8 }, value: { amount: u64 } });

type Step =
  | { kind: "put"; account: number; amount: bigint }
  | { kind: "delete"; account: number }
  | { kind: "mark" }
  | { kind: "rollback" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), account: fc.nat(4), amount: fc.bigInt({ min: 0n, max: 9n }) }),
  fc.record({ kind: fc.constant("delete" as const), account: fc.nat(4) }),
  fc.record({ kind: fc.constant("mark" as const) }),
  fc.record({ kind: fc.constant("rollback" as const) }),
);

describe("view", () => {
  test("reading a row that was not fetched is a defect, not an absent row", () => {
    const view = new View();
    expect(() => view.get(balances, { account: 1 })).toThrow(NotPrefetchedError);
    view.load(balances, { account: 1 }, undefined);
    expect(view.get(balances, { account: 1 })).toBeUndefined();
    expect(view.knows(rowKey(balances, { account: 2 }))).toBe(false);
  });

  test("a row is found by its key, whatever the order of the key's properties", () => {
    const trades = table({ id: 902, name: "trades", key: { market: u8, height: u64, index: u8 }, value: { amount: u64 } });
    const anyKey = fc.record({ market: fc.nat(3), height: fc.bigInt({ min: 0n, max: 3n }), index: fc.nat(3) });
    const anyOrder = fc.shuffledSubarray(["market", "height", "index"] as const, { minLength: 3 });
    const inOrder = (key: TableKey<typeof trades>, order: readonly (keyof typeof key)[]) =>
      Object.fromEntries(order.map((column) => [column, key[column]])) as TableKey<typeof trades>;
    fc.assert(
      fc.property(fc.array(fc.tuple(anyKey, anyOrder, anyOrder), { maxLength: 20 }), (writes) => {
        const view = new View();
        const expected = new Map<string, bigint>();
        for (const [at, [key, written]] of writes.entries()) {
          view.put(trades, inOrder(key, written), { amount: BigInt(at) });
          expected.set(`${key.market} ${key.height} ${key.index}`, BigInt(at));
        }
        for (const [key, , read] of writes) {
          expect(view.knows(rowKey(trades, inOrder(key, read)))).toBe(true);
          expect(view.get(trades, inOrder(key, read))).toEqual({ amount: expected.get(`${key.market} ${key.height} ${key.index}`) });
        }
        expect(view.drain()).toHaveLength(expected.size);
      }),
    );
  });

  test("rows of a resident table that are not loaded do not exist", () => {
    const view = new View();
    view.setResident(balances);
    expect(view.get(balances, { account: 1 })).toBeUndefined();
  });

  test("loading never overwrites what execution has changed", () => {
    const view = new View();
    view.put(balances, { account: 1 }, { amount: 5n });
    view.load(balances, { account: 1 }, { amount: 1n });
    expect(view.get(balances, { account: 1 })).toEqual({ amount: 5n });
  });

  test("what nobody reads is drained once, behind everything else and in the order in which it was written", () => {
    const view = new View();
    view.writeUnread(balances, { account: 1 }, { amount: 1n });
    view.put(balances, { account: 2 }, { amount: 2n });
    view.writeUnread(balances, { account: 1 }, undefined);
    const written = [
      { table: balances, key: { account: 2 }, value: { amount: 2n } },
      { table: balances, key: { account: 1 }, value: { amount: 1n } },
      { table: balances, key: { account: 1 }, value: undefined },
    ];
    expect(view.drain()).toEqual(written);
    expect(view.drain()).toEqual([]);
  });

  test("any sequence of changes, marks and rollbacks equals a stack of copied maps, and the drained changes lead to the same rows", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const view = new View();
        view.setResident(balances);
        view.load(balances, { account: 0 }, { amount: 100n });
        const start = new Map([[0, 100n]]);
        const stack: { mark: number; copy: Map<number, bigint> }[] = [];
        let oracle = new Map(start);
        for (const step of steps) {
          if (step.kind === "put") {
            view.put(balances, { account: step.account }, { amount: step.amount });
            oracle.set(step.account, step.amount);
          } else if (step.kind === "delete") {
            view.delete(balances, { account: step.account });
            oracle.delete(step.account);
          } else if (step.kind === "mark") {
            stack.push({ mark: view.mark(), copy: new Map(oracle) });
          } else {
            const top = stack.pop();
            if (top === undefined) continue;
            view.rollback(top.mark);
            oracle = top.copy;
          }
        }
        const rows = new Map([...view.rows(balances)].map((row) => [row.key.account, row.value.amount]));
        expect(rows).toEqual(oracle);
        for (const change of view.drain()) {
          const { account } = change.key as { account: number };
          if (change.value === undefined) start.delete(account);
          else start.set(account, (change.value as { amount: bigint }).amount);
        }
        expect(start).toEqual(oracle);
        expect(view.drain()).toEqual([]);
      }),
    );
  });

  test("a batch sees what the one before wrote, whether its commit has ended or not, and its own changes lead to the same rows", () => {
    const ledger = table({ id: 903, name: "ledger", key: { account: u8 }, value: { amount: u64 } });
    const anyBatch = fc.record({
      steps: fc.array(anyStep, { maxLength: 8 }),
      unread: fc.array(fc.tuple(fc.nat(4), fc.option(fc.bigInt({ min: 0n, max: 9n }), { nil: undefined })), { maxLength: 4 }),
      // when the commit of the batch before ends: before this one fetches, before it runs, or when it is to be committed
      ends: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(anyBatch, { maxLength: 8 }), (batches) => {
        const view = new View();
        const stored = new Map<string, object>();
        const nameOf = (name: string, { account }: { account: number }) => `${name} ${account}`;
        const keys = Array.from({ length: 5 }, (_, account) => ({ account }));
        const fetch = (of: typeof balances | typeof ledger) => {
          const wanted = keys.map((key) => rowKey(of, key));
          for (const missing of view.missing([...wanted, ...wanted])) {
            const found = [...missing.keys.values()].map((key) => stored.get(nameOf(missing.table.name, key as never)));
            view.loadMissing(missing, found);
          }
          expect(view.missing(wanted)).toEqual([]);
          for (const row of wanted) expect(view.knows(row)).toBe(true);
        };
        const oracle = new Map<string, object>();
        let underWay = view.beginCommit();
        const end = () => {
          for (const { table: of, key, value } of underWay) {
            if (value === undefined) stored.delete(nameOf(of.name, key as never));
            else stored.set(nameOf(of.name, key as never), value);
          }
          underWay = [];
          view.endCommit();
        };
        for (const { steps, unread, ends } of batches) {
          if (ends === 0) end();
          fetch(balances);
          if (unread.length === 0) fetch(ledger);
          if (ends === 1) end();
          const marks: { mark: number; copy: [string, object][] }[] = [];
          for (const step of steps) {
            if (step.kind === "mark") marks.push({ mark: view.mark(), copy: [...oracle] });
            else if (step.kind === "put") {
              view.put(balances, keys[step.account]!, { amount: step.amount });
              oracle.set(nameOf("balances", step), { amount: step.amount });
            } else if (step.kind === "delete") {
              view.delete(balances, keys[step.account]!);
              oracle.delete(nameOf("balances", step));
            } else {
              const top = marks.pop();
              if (top === undefined) continue;
              view.rollback(top.mark);
              oracle.clear();
              for (const [name, value] of top.copy) oracle.set(name, value);
            }
            for (const key of keys) expect(view.get(balances, key)).toEqual(oracle.get(nameOf("balances", key)));
          }
          for (let account = 0; account < 5; account++) {
            expect(view.get(balances, { account })).toEqual(oracle.get(nameOf("balances", { account })));
            if (unread.length === 0) expect(view.get(ledger, { account })).toEqual(oracle.get(nameOf("ledger", { account })));
          }
          for (const [account, amount] of unread) {
            view.writeUnread(ledger, { account }, amount === undefined ? undefined : { amount });
            if (amount === undefined) oracle.delete(nameOf("ledger", { account }));
            else oracle.set(nameOf("ledger", { account }), { amount });
          }
          if (ends === 2) end();
          underWay = view.beginCommit();
        }
        end();
        expect(stored).toEqual(oracle);
      }),
    );
  });

  test("one commit at a time is under way, and it takes nothing from the rows of the next batch", () => {
    const view = new View();
    view.put(balances, { account: 1 }, { amount: 1n });
    view.put(balances, { account: 2 }, { amount: 2n });
    expect(view.beginCommit()).toHaveLength(2);
    expect(() => view.beginCommit()).toThrow("a commit is under way");
    expect(() => view.get(balances, { account: 1 })).toThrow(NotPrefetchedError);
    expect(view.knows(rowKey(balances, { account: 1 }))).toBe(true);
    view.endCommit();
    expect(view.get(balances, { account: 1 })).toEqual({ amount: 1n });
    expect(view.knows(rowKey(balances, { account: 2 }))).toBe(false);
  });

  test("what is tried out leaves nothing behind; what is to be done whole leaves nothing only if it throws", () => {
    const view = new View();
    view.load(balances, { account: 1 }, { amount: 1n });
    const amount = () => view.get(balances, { account: 1 })?.amount;
    const become = (changed: bigint) => () => {
      view.put(balances, { account: 1 }, { amount: changed });
      if (changed === 13n) throw new RangeError("unlucky");
      return amount();
    };
    expect([view.tryOut(become(2n)), amount()]).toEqual([2n, 1n]);
    expect([view.whole(become(3n)), amount()]).toEqual([3n, 3n]);
    expect(() => view.tryOut(become(13n))).toThrow("unlucky");
    expect(() => view.whole(become(13n))).toThrow("unlucky");
    expect(amount()).toBe(3n);
  });

  test("a key object finds what its row is now, not what it found before", () => {
    const view = new View();
    const ledger = table({ id: 904, name: "ledger", key: { account: u8 }, value: { amount: u64 } });
    const key = { account: 1 };
    const start = view.mark();
    view.delete(balances, key);
    expect(view.get(balances, key)).toBeUndefined();
    expect(() => view.get(ledger, key)).toThrow(NotPrefetchedError);
    view.put(ledger, key, { amount: 7n });
    expect(view.get(balances, key)).toBeUndefined();
    view.rollback(start);
    expect(() => view.get(balances, key)).toThrow(NotPrefetchedError);
    for (const forget of [() => view.evict(), () => view.beginCommit()]) {
      view.put(balances, key, { amount: 1n });
      expect(view.get(balances, key)).toEqual({ amount: 1n });
      forget();
      expect(() => view.get(balances, key)).toThrow(NotPrefetchedError);
      view.put(balances, { ...key }, { amount: 2n });
      expect(view.get(balances, key)).toEqual({ amount: 2n });
    }
  });

  test("evicting forgets fetched rows and keeps resident ones", () => {
    const view = new View();
    const other = table({ id: 901, name: "others", key: { otherId: id }, value: {} });
    view.setResident(balances);
    view.load(balances, { account: 1 }, { amount: 1n });
    view.load(other, { otherId: "00".repeat(32) }, {});
    view.evict();
    expect(view.get(balances, { account: 1 })).toEqual({ amount: 1n });
    expect(view.knows(rowKey(other, { otherId: "00".repeat(32) }))).toBe(false);
  });
});
