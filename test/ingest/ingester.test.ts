import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BatchLimits, type Committed, Ingester } from "../../src/ingest/ingester.ts";
import { FirnError } from "../../src/primitives/errors.ts";
import { rowKey } from "../../src/primitives/view.ts";
import type { Progress, SourceItem } from "../../src/source/source.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { accounts, block, CHAIN_ID, type Command, FakeChains, LATER_CHAIN_ID, stateOf } from "./fake-chain.ts";

let store: Store;
let commits: Committed[];

beforeEach(async () => {
  store = await openStore({ directory: scratchDirectory(), mode: "write" });
  commits = [];
});
afterEach(() => store.close());

const SMALL: BatchLimits = { blocks: 4, bytes: 1000, rows: 1000 };

function ingester(limits = SMALL, target: Store = store) {
  return new Ingester({ store: target, open: () => FakeChains.open(target), limits, onCommit: (committed) => commits.push(committed) });
}

/** Delivers what the store does not have, in runs of five. */
function sourceOf(...items: SourceItem[]) {
  return {
    async *items({ heights }: Progress) {
      const fresh = items.filter((item) => item.kind !== "block" || item.height > (heights.get(item.chainId) ?? 0n));
      for (let at = 0; at < fresh.length; at += 5) yield fresh.slice(at, at + 5);
    },
  };
}

function chainOf(length: number, special: Record<number, Command> = {}) {
  return Array.from({ length }, (_, i) => block(i + 1, special[i + 1] ?? "add"));
}

describe("the ingester", () => {
  test("commits what blocks changed, in batches within the limits", async () => {
    await ingester().run(sourceOf(...chainOf(10)));
    expect(await stateOf(store)).toEqual({ height: 10n, sums: [3n, 4n, 3n] });
    expect(commits.map(({ blocks }) => blocks)).toEqual([4, 1, 4, 1]);
    expect(commits.reduce((sum, { transactions }) => sum + transactions, 0)).toBe(10);
  });

  test("ends a batch when it has changed enough rows", async () => {
    await ingester({ ...SMALL, rows: 3 }).run(sourceOf(...chainOf(5)));
    expect(commits.map(({ blocks }) => blocks)).toEqual([2, 2, 1]);
    expect(await stateOf(store)).toEqual({ height: 5n, sums: [1n, 2n, 2n] });
  });

  test("goes on where the store stands", async () => {
    await ingester().run(sourceOf(...chainOf(3)));
    await ingester().run(sourceOf(...chainOf(8)));
    expect(await stateOf(store)).toEqual({ height: 8n, sums: [2n, 3n, 3n] });
  });

  test.each(["refuse", "refuse-after-writing"] as const)(
    "commits what precedes a block that rules %s, and names the block and the rule",
    async (command) => {
      const running = ingester().run(sourceOf(...chainOf(9, { 7: command })));
      await expect(running).rejects.toMatchObject({ code: "block-refused", facts: { chain: "F", height: "7", rule: "refused" } });
      expect(await stateOf(store)).toEqual({ height: 6n, sums: [2n, 2n, 2n] });
      await ingester().run(sourceOf(...chainOf(9)));
      expect(await stateOf(store)).toEqual({ height: 9n, sums: [3n, 3n, 3n] });
    },
  );

  test("leaves a block without effect whose execution is a defect, and passes the defect on", async () => {
    await expect(ingester().run(sourceOf(...chainOf(3, { 2: "defect" })))).rejects.toThrow(TypeError);
    expect(await stateOf(store)).toEqual({ height: 1n, sums: [1n] });
  });

  test("fetches rows that a block can only name at its turn", async () => {
    await ingester().run(sourceOf(...chainOf(3)));
    await ingester().run(sourceOf(...chainOf(4, { 4: "name-late" })));
    expect(await stateOf(store)).toEqual({ height: 4n, sums: [1n, 2n, 1n] });
  });

  test("does not hide that a block reads a row which it never names", async () => {
    await expect(ingester().run(sourceOf(...chainOf(2, { 2: "read-unnamed" })))).rejects.toMatchObject({ code: "not-prefetched" });
    expect((await stateOf(store)).height).toBe(1n);
  });

  test("executes a chain's blocks after the block that creates it, in the same run", async () => {
    const items = [block(1), block(2, "create-later-chain"), block(1, "add", LATER_CHAIN_ID), block(3)];
    const running = ingester();
    await running.run(sourceOf(...items));
    expect((await running.chains()).progress.heights).toEqual(
      new Map([
        [CHAIN_ID, 3n],
        [LATER_CHAIN_ID, 1n],
      ]),
    );
  });

  test("refuses blocks of a chain that nothing creates", async () => {
    const running = ingester().run(sourceOf(block(1), block(1, "add", LATER_CHAIN_ID)));
    await expect(running).rejects.toMatchObject({ code: "block-refused", facts: { rule: "unknown-chain" } });
    expect((await stateOf(store)).height).toBe(1n);
  });

  test("stops between batches when it is told to", async () => {
    const controller = new AbortController();
    const stopping = new Ingester({ store, open: () => FakeChains.open(store), limits: SMALL, onCommit: () => controller.abort() });
    await stopping.run(sourceOf(...chainOf(10)), controller.signal);
    expect((await stateOf(store)).height).toBe(4n);
  });

  test("lets a batch end with rows of its own, in the same commit, with what they read fetched for them", async () => {
    const chains = await FakeChains.open(store);
    const sums: bigint[] = [];
    chains.onFlush = async (fetch) => {
      await fetch([rowKey(accounts, { account: 7n })]);
      const { sum } = chains.view.get(accounts, { account: 7n }) ?? { sum: 0n };
      chains.view.put(accounts, { account: 7n }, { sum: sum + 10n });
      sums.push(sum);
    };
    await new Ingester({ store, open: async () => chains, limits: SMALL }).run(sourceOf(...chainOf(8)));
    expect(sums).toEqual([0n, 10n, 20n]);
    expect(await stateOf(store)).toEqual({ height: 8n, sums: [2n, 3n, 3n, 30n] });
  });

  test("leaves the store as it was if a batch cannot be ended, and starts again from the store", async () => {
    let isFailing = false;
    const open = async () => {
      const chains = await FakeChains.open(store);
      chains.onFlush = async () => {
        if (isFailing) throw new TypeError("a defect of a projection");
      };
      return chains;
    };
    const running = new Ingester({ store, open, limits: SMALL });
    await running.run(sourceOf(...chainOf(3)));
    isFailing = true;
    await expect(running.run(sourceOf(...chainOf(6)))).rejects.toThrow("a defect of a projection");
    expect(await stateOf(store)).toEqual({ height: 3n, sums: [1n, 1n, 1n] });
    isFailing = false;
    await running.run(sourceOf(...chainOf(6)));
    expect(await stateOf(store)).toEqual({ height: 6n, sums: [2n, 2n, 2n] });
  });

  test("throws a view away that a failed commit left ahead of the store", async () => {
    let isFull = false;
    const failing = new Proxy(store, {
      get(target, name) {
        if (name === "commit" && isFull) return async () => Promise.reject(new FirnError("store-full", "full"));
        const value = target[name as keyof Store];
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const running = ingester(SMALL, failing);
    await running.run(sourceOf(...chainOf(3)));
    isFull = true;
    await expect(running.run(sourceOf(...chainOf(6)))).rejects.toMatchObject({ code: "store-full" });
    isFull = false;
    await running.run(sourceOf(...chainOf(6)));
    expect(await stateOf(store)).toEqual({ height: 6n, sums: [2n, 2n, 2n] });
  });
});
