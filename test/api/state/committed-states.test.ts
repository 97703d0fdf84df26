import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommittedStates } from "../../../src/api/state/committed-states.ts";
import { AnswerCache, KeptAnswers } from "../../../src/api/state/kept-answers.ts";
import { CacheSpace } from "../../../src/base/collections/bounded-cache.ts";
import { RawJson } from "../../../src/base/json/go-encode.ts";
import { RequestWork } from "../../../src/base/work/work.ts";
import { platformChain } from "../../../src/chains/platform/tables.ts";
import { heightChanges, openSmallStore, type SmallStore, smallNetwork } from "../../serve/small-store.ts";

let small: SmallStore;
let states: CommittedStates;
beforeEach(async () => {
  small = await openSmallStore();
  states = new CommittedStates(small.store, smallNetwork, { kept: new KeptAnswers(1000) });
});
afterEach(() => small.remove());

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a request", () => {
  test("sees one state throughout, while others see what was committed meanwhile", async () => {
    let goOn: () => void = () => {};
    const committed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const slow = states.use(async ({ reader, heights }) => {
      await committed;
      return [(await reader.get(platformChain, { slot: 0 }))!.height, heights[1]];
    });
    await turn();
    await small.store.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
    await turn();
    const newer = await states.use(async ({ reader, heights }) => [(await reader.get(platformChain, { slot: 0 }))!.height, heights[1]]);
    goOn();
    expect([await slow, newer]).toEqual([
      [10n, "10"],
      [11n, "11"],
    ]);
  });

  test("shares its snapshot with those of the same turn of the event loop", async () => {
    const readers = await Promise.all([states.use(async ({ reader }) => reader), states.use(async ({ reader }) => reader)]);
    expect(readers[0]).toBe(readers[1]);
    await turn();
    expect(await states.use(async ({ reader }) => reader)).not.toBe(readers[0]);
  });

  test("that fails does not keep later ones from being answered", async () => {
    await expect(states.use(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await states.use(async ({ heights }) => heights[1])).toBe("10");
  });
});

describe("what is made once per height", () => {
  const make = () => states.use(({ cache }) => cache.get("a", new RequestWork(), async () => new RawJson(`${Math.random()}`)));

  test("stays until a height of any chain moves", async () => {
    const first = await make();
    await turn();
    expect(await make()).toBe(first);
    await small.store.commit(heightChanges({ P: 10n, X: 21n, C: 30n }));
    await turn();
    expect(await make()).not.toBe(first);
  });

  test("is made once for those who ask at the same time, and anew after a failure", async () => {
    const cache = new AnswerCache(new CacheSpace(1000));
    let calls = 0;
    const count = async () => ++calls;
    expect(await Promise.all([cache.get("a", new RequestWork(), count), cache.get("a", new RequestWork(), count)])).toEqual([1, 1]);
    await expect(cache.get("b", new RequestWork(), () => Promise.reject(new Error("no")))).rejects.toThrow();
    expect(await cache.get("b", new RequestWork(), count)).toBe(2);
  });

  test("does not outgrow its bytes", async () => {
    const cache = new AnswerCache(new CacheSpace(1000));
    let calls = 0;
    const large = (name: string) => cache.get(name, new RequestWork(), async () => new RawJson(`${++calls}`.padEnd(600)));
    await large("a");
    await large("b");
    await large("a");
    expect(calls).toBe(3);
  });
});
