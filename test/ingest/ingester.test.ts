import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { FirnError } from "../../src/base/errors/errors.ts";
import type { Change } from "../../src/base/table/table.ts";
import { rowKey } from "../../src/base/table/view.ts";
import { type BatchLimits, type Committed, Ingester } from "../../src/ingest/ingester.ts";
import type { ChainsState } from "../../src/ingest/steps.ts";
import type { Progress, ReadOptions, SourceItem } from "../../src/sources/source.ts";
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
  return inRuns(5, items);
}

function inRuns(size: number, items: readonly SourceItem[]) {
  return {
    async *items({ heights }: Progress) {
      const fresh = items.filter((item) => item.kind !== "block" || item.height > (heights.get(item.chainId) ?? 0n));
      for (let at = 0; at < fresh.length; at += size) yield fresh.slice(at, at + size);
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

  describe("lets a chain wait for another's export", () => {
    const later = (height: number, command: Command = "add") => block(height, command, LATER_CHAIN_ID);
    const opened = [block(1, "create-later-chain")];
    const heightsOf = async (running: Ingester<FakeChains>) => [...(await running.chains()).progress.heights.values()];

    test("and goes on with it in its order, over the ends of runs", async () => {
      const waiting = [later(1), later(2, "import"), later(3), later(4), later(5, "import")];
      const running = ingester();
      await running.run(sourceOf(...opened, ...waiting, ...[block(2), block(3), block(4, "export"), later(6), block(5)]));
      expect(await heightsOf(running)).toEqual([5n, 6n]);
      expect(commits.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(11);
    });

    test("and refuses it in the end, by name, when nothing has come; what others have is committed", async () => {
      const running = ingester();
      const ingested = running.run(sourceOf(...opened, later(1, "import"), later(2), block(2), block(3)));
      await expect(ingested).rejects.toMatchObject({ code: "block-refused", facts: { chain: "F", height: "1", rule: "not-found" } });
      await expect(ingested).rejects.toThrow(`it waits for UTXO ${formatId("ee".repeat(32))} of chain ${formatId(CHAIN_ID)}`);
      expect(await heightsOf(running)).toEqual([3n, 0n]);
    });

    test("and says once what for", async () => {
      const told: string[] = [];
      const onWaiting = (sentence: string) => told.push(sentence);
      const running = new Ingester({ store, open: () => FakeChains.open(store), limits: SMALL, onWaiting, tellAfterMs: 0 });
      const blocks = [block(2), block(3), block(4), block(5), block(6), block(7), block(8), block(9, "export")];
      await running.run(sourceOf(...opened, later(1, "import"), later(2, "import"), ...blocks));
      expect(told).toEqual([expect.stringContaining("block 1")]);
      expect(await heightsOf(running)).toEqual([9n, 2n]);
    });

    test("and reads again what is too much to keep; a source that can is told to hold it back before", async () => {
      const many = Array.from({ length: 10_000 }, (_, i) => later(i + 1, i === 0 ? "import" : "add"));
      const source = inRuns(500, [...opened, ...many, block(2, "export")]);
      let reads = 0;
      let heldAt = 0;
      const counted = {
        async *items(progress: Progress, { isHeld }: ReadOptions) {
          reads++;
          // the rest of it comes first the second time
          const all = reads === 1 ? source : inRuns(500, [block(2, "export"), ...many]);
          let given = 0;
          for await (const run of all.items(progress)) {
            if (reads === 1 && heldAt === 0 && isHeld!(LATER_CHAIN_ID)) heldAt = given;
            given += run.length;
            yield run;
          }
          if (reads === 1) throw new Error("read to the end");
        },
      };
      const running = ingester({ ...SMALL, blocks: 512 });
      await running.run(counted);
      expect(await heightsOf(running)).toEqual([2n, 10_000n]);
      expect(reads).toBe(2);
      expect(heldAt).toBe(2500);
    });
  });

  test("stops between batches when it is told to", async () => {
    const controller = new AbortController();
    const stopping = new Ingester({ store, open: () => FakeChains.open(store), limits: SMALL, onCommit: () => controller.abort() });
    await stopping.run(sourceOf(...chainOf(10)), controller.signal);
    // the batch that is executed while the first one is written is committed, too
    expect([4n, 5n]).toContain((await stateOf(store)).height);
  });

  describe("while the store writes a batch", () => {
    /** A store whose commits wait until they are let go. */
    function heldStore() {
      const held: { go: () => void; fail: (error: Error) => void }[] = [];
      const arrivals = new EventEmitter();
      const target = new Proxy(store, {
        get(inner, name) {
          if (name === "commit") {
            return async (changes: readonly Change[]) => {
              const gate = new Promise<void>((go, fail) => held.push({ go, fail }));
              arrivals.emit("commit");
              await gate;
              await inner.commit(changes);
            };
          }
          const value = inner[name as keyof Store];
          return typeof value === "function" ? value.bind(inner) : value;
        },
      });
      /** the nth commit, from 0 on, once it was begun */
      const commit = async (n: number) => {
        while (held.length <= n) await once(arrivals, "commit");
        return held[n]!;
      };
      return { target, commit, begun: () => held.length };
    }

    /** Chains that tell which blocks ran. */
    async function told(from: Store) {
      const chains = await FakeChains.open(from);
      const ran = new EventEmitter();
      const decode = chains.decode.bind(chains);
      let height = 0n;
      chains.decode = (item) => {
        const step = decode(item);
        if (step === "not-yet") return step;
        const run = () => {
          const transactions = step.run();
          height = step.height!;
          ran.emit("block");
          return transactions;
        };
        return { ...step, run };
      };
      const executed = async (wanted: bigint) => {
        while (height < wanted) await once(ran, "block");
      };
      return { chains, executed, height: () => height };
    }

    test("executes the next one on its rows, begins no second commit, and tells of what is committed only", async () => {
      const { target, commit, begun } = heldStore();
      const { chains, executed, height } = await told(store);
      const states: unknown[] = [];
      const onCommit = ({ blocks }: Committed, { progress }: ChainsState) => states.push([blocks, progress.heights.get(CHAIN_ID)]);
      const running = new Ingester({ store: target, open: async () => chains, limits: { ...SMALL, blocks: 2 }, onCommit });
      const ended = running.run(sourceOf(...chainOf(5)));
      const first = await commit(0);
      await executed(4n);
      expect([states, begun(), height()]).toEqual([[], 1, 4n]);
      expect((await stateOf(store)).height).toBe(0n);
      first.go();
      (await commit(1)).go();
      (await commit(2)).go();
      await ended;
      expect(states).toEqual([
        [2, 2n],
        [2, 4n],
        [1, 5n],
      ]);
      expect(await stateOf(store)).toEqual({ height: 5n, sums: [1n, 2n, 2n] });
    });

    test("does not refuse a block of the next one before that is done", async () => {
      const { target, commit } = heldStore();
      let isDone = false;
      const ended = ingester({ ...SMALL, blocks: 2 }, target).run(sourceOf(...chainOf(4, { 3: "refuse" })));
      const refused = expect(ended.finally(() => (isDone = true))).rejects.toMatchObject({ code: "block-refused", facts: { height: "3" } });
      const first = await commit(0);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      expect(isDone).toBe(false);
      first.go();
      await refused;
      expect(await stateOf(store)).toEqual({ height: 2n, sums: [1n, 1n] });
    });

    test("and cannot, throws away what it executed since, and goes on from the store", async () => {
      const { target, commit } = heldStore();
      const { chains, executed } = await told(store);
      const opened = [async () => chains, () => FakeChains.open(store)];
      const running = new Ingester({ store: target, open: () => opened.shift()!(), limits: { ...SMALL, blocks: 2 } });
      const ended = expect(running.run(sourceOf(...chainOf(5)))).rejects.toMatchObject({ code: "store-full" });
      const first = await commit(0);
      await executed(4n);
      first.fail(new FirnError("store-full", "full"));
      await ended;
      expect((await stateOf(store)).height).toBe(0n);
      const again = running.run(sourceOf(...chainOf(5)));
      for (const n of [1, 2, 3]) (await commit(n)).go();
      await again;
      expect(await stateOf(store)).toEqual({ height: 5n, sums: [1n, 2n, 2n] });
    });

    test("and cannot, ends the wait for a source that has nothing new", async () => {
      const { target, commit } = heldStore();
      let isAsked = () => {};
      const asked = new Promise<void>((resolve) => (isAsked = resolve));
      const source = {
        async *items(_: Progress, { signal }: ReadOptions) {
          yield chainOf(2);
          const aborted = once(signal!, "abort");
          isAsked();
          await aborted;
        },
      };
      const ended = expect(ingester(SMALL, target).run(source)).rejects.toMatchObject({ code: "store-full" });
      const first = await commit(0);
      await asked;
      first.fail(new FirnError("store-full", "full"));
      await ended;
    });
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

  test("lets the end of a batch read ranges as the batch before left them, whose commit is still under way", async () => {
    const ends = new EventEmitter();
    let commits = 0;
    const slow = new Proxy(store, {
      get(target, name) {
        const value = target[name as keyof Store];
        if (name !== "commit") return typeof value === "function" ? value.bind(target) : value;
        // the first two commits begin once the next batch has asked
        return async (changes: Change[]) => {
          if (++commits < 3) await once(ends, "asked");
          return target.commit(changes);
        };
      },
    });
    const chains = await FakeChains.open(store);
    const sums: bigint[] = [];
    chains.onFlush = async (_, ranges) => {
      const read = ranges.scan(accounts, { limit: 10 });
      ends.emit("asked");
      sums.push((await read).reduce((sum, { value }) => sum + value.sum, 0n));
    };
    await new Ingester({ store: slow, open: async () => chains, limits: SMALL }).run(sourceOf(...chainOf(8)));
    expect(sums).toEqual([0n, 4n, 5n]);
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
