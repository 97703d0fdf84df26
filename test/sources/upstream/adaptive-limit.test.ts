import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { AdaptiveLimit } from "../../../src/sources/upstream/standing.ts";

/** Work that ends when the test says so. */
class Work {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();
  readonly #limit: AdaptiveLimit;

  constructor(limit: AdaptiveLimit) {
    this.#limit = limit;
  }

  start(name: string, { isUrgent = false } = {}): void {
    const work = () => {
      this.begun.push(name);
      return new Promise<void>((resolve, reject) => this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error))));
    };
    this.#limit.run(isUrgent, work, (error) => (error as Error).message === "too much").catch(() => {});
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)!(error);
    await turn();
  }
}

test("as many run at once as the limit says, in order; urgent ones before others and two beyond it", async () => {
  const work = new Work(new AdaptiveLimit(16, 2));
  for (const name of ["a", "b", "c", "d"]) work.start(name);
  await turn();
  expect(work.begun).toEqual(["a", "b"]);
  for (const name of ["u", "v", "w"]) work.start(name, { isUrgent: true });
  await turn();
  expect(work.begun).toEqual(["a", "b", "u", "v"]);
  await work.end("a");
  expect(work.begun).toEqual(["a", "b", "u", "v", "w"]);
  await work.end("u");
  await work.end("v");
  await work.end("b");
  expect(work.begun).toEqual(["a", "b", "u", "v", "w", "c", "d"]);
});

test("two urgent ones run however many others wait for answers that never come", async () => {
  const limit = new AdaptiveLimit(16, 8);
  const work = new Work(limit);
  const names = Array.from({ length: 8 }, (_, i) => `${i}`);
  for (const name of names) work.start(name);
  await turn();
  await work.end("0", new Error("too much"));
  expect(limit.limit).toBe(4);
  for (const name of ["u", "v", "w"]) work.start(name, { isUrgent: true });
  await turn();
  expect(work.begun).toEqual([...names, "u", "v"]);
});

test("the limit rises by about one per round of good answers, and halves once per round of bad ones", async () => {
  const limit = new AdaptiveLimit(100, 8);
  const round = async (error?: Error) => {
    const work = new Work(limit);
    const names = Array.from({ length: limit.limit }, (_, i) => `${i}`);
    for (const name of names) work.start(name);
    await turn();
    for (const name of names) await work.end(name, error);
  };
  await round();
  await round();
  expect(limit.limit).toBe(9);
  await round(new Error("too much"));
  expect(limit.limit).toBe(4);
  await round(new Error("something else"));
  expect(limit.limit).toBe(4);
  for (let i = 0; i < 5; i++) await round(new Error("too much"));
  expect(limit.limit).toBe(1);
});
