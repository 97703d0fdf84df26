import { expect, test } from "vitest";
import { KeptAnswers } from "../../../src/api/state/kept-answers.ts";
import { BoundedCache, type CacheSpace } from "../../../src/base/collections/bounded-cache.ts";

class Texts {
  readonly kept: BoundedCache<string>;

  constructor(space: CacheSpace) {
    this.kept = new BoundedCache(space, ({ length }) => length);
  }
}

test("a server has one cache of each class, and another server has its own, whatever it keeps", () => {
  const [one, other] = [new KeptAnswers(10_000), new KeptAnswers(10_000)];
  one.of(Texts).kept.set("a", "answer");
  expect(one.of(Texts)).toBe(one.of(Texts));
  expect(one.of(Texts).kept.get("a")).toBe("answer");
  expect(other.of(Texts).kept.get("a")).toBeUndefined();
  for (let i = 0; i < 100; i++) other.of(Texts).kept.set(`${i}`, "x".repeat(1000));
  expect(one.of(Texts).kept.get("a")).toBe("answer");
});

test("its caches share one limit: what is used least goes, also that of states", () => {
  const kept = new KeptAnswers(10_000);
  kept.ofState().keep("state", "x".repeat(100));
  const state = kept.ofState();
  state.keep("newest", "x".repeat(100));
  for (let i = 0; i < 20; i++) kept.of(Texts).kept.set(`${i}`, "x".repeat(1000));
  expect(state.find("newest")).toBeUndefined();
  expect(kept.of(Texts).kept.get("19")).toBeDefined();
  expect(kept.of(Texts).kept.get("0")).toBeUndefined();
});
