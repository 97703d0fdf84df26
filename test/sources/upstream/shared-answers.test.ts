import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SharedAnswers, type SharedReader } from "../../../src/sources/upstream/shared-answers.ts";
import type { RpcOutcome } from "../../../src/sources/upstream/upstream-rpc.ts";

const LONG_MS = 2 ** 30;
const { signal } = new AbortController();

/** One of two readers, whose nodes answer with the height, or as the test says. */
class Reading {
  readonly asked: bigint[] = [];
  readonly #reader: SharedReader;
  answer: (height: bigint) => RpcOutcome | Promise<RpcOutcome> = (height) => ({ result: { height: `${height}` }, upstream: 0 });

  constructor(reader: SharedReader) {
    this.#reader = reader;
  }

  async read(from: bigint, count: number, isSound?: (result: unknown) => boolean): Promise<unknown[]> {
    const heights = Array.from({ length: count }, (_, i) => from + BigInt(i));
    const ask = async (some: readonly bigint[]) => {
      this.asked.push(...some);
      return Promise.all(some.map((height) => this.answer(height)));
    };
    const outcomes = await this.#reader.read({ heights, ask, signal, ...(isSound && { isSound }) });
    return outcomes.map((outcome) => ("error" in outcome ? outcome.error.message : (outcome.result as { height: string } | null)?.height));
  }
}

function sharing({ maxBytes = 1e6, waitMs = LONG_MS } = {}) {
  const shared = new SharedAnswers({ maxBytes, waitMs });
  const [one, other] = shared.readers.map((reader) => new Reading(reader)) as [Reading, Reading];
  return { shared, one, other };
}

const step = fc.record({ isOne: fc.boolean(), count: fc.integer({ min: 1, max: 9 }) });

describe("two readers of one chain", () => {
  test("get every answer, and each height is asked for once, whoever is ahead and however they overlap", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { shared, one, other } = sharing();
        const next = new Map([
          [one, 0n],
          [other, 0n],
        ]);
        const underWay = steps.map(async ({ isOne, count }) => {
          const reader = isOne ? one : other;
          const from = next.get(reader)!;
          next.set(reader, from + BigInt(count));
          expect(await reader.read(from, count)).toEqual(Array.from({ length: count }, (_, i) => `${from + BigInt(i)}`));
        });
        await Promise.all(underWay);
        const last = [...next.values()].reduce((most, height) => (height > most ? height : most), 0n);
        expect([...one.asked, ...other.asked].sort((a, b) => Number(a - b))).toEqual(
          Array.from({ length: Number(last) }, (_, i) => BigInt(i)),
        );
        if (next.get(one) === next.get(other)) expect(shared.bytes).toBe(0);
      }),
    );
  });

  test("hold no more than their bytes: what is beyond is asked for again", async () => {
    const { shared, one, other } = sharing({ maxBytes: 1000 });
    await one.read(0n, 100);
    expect(shared.bytes).toBeGreaterThan(0);
    expect(shared.bytes).toBeLessThanOrEqual(1000);
    await other.read(0n, 100);
    expect(other.asked.length).toBeGreaterThan(80);
    expect(other.asked.length).toBeLessThan(100);
    expect(shared.bytes).toBe(0);
  });

  test("do not take a failure, a block that is not there yet, or one that either refuses", async () => {
    const { one, other } = sharing();
    one.answer = (height) => (height === 1n ? { error: new Error("no") } : { result: height === 2n ? null : { height: `${height}` } });
    expect(await one.read(0n, 5, (result) => (result as { height: string }).height !== "3")).toEqual(["0", "no", undefined, "3", "4"]);
    expect(await other.read(0n, 5, (result) => (result as { height: string }).height !== "4")).toEqual(["0", "1", "2", "3", "4"]);
    expect(other.asked).toEqual([1n, 2n, 3n, 4n]);
  });

  test("do not wait for each other without end, and one whose nodes fail does not fail the other", async () => {
    const { one, other } = sharing({ waitMs: 1 });
    let release = (_: RpcOutcome) => {};
    one.answer = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const late = one.read(7n, 1);
    expect(await other.read(7n, 1)).toEqual(["7"]);
    release({ error: new Error("too late") });
    expect(await late).toEqual(["too late"]);
  });

  test("keep nothing for one that reads in another way, or that is past it", async () => {
    const { shared, one, other } = sharing();
    await other.read(50n, 1);
    await one.read(0n, 50);
    expect(shared.bytes).toBe(48 + 48 + 2);
    await one.read(60n, 5);
    shared.readers[1].reads(false);
    await one.read(70n, 5);
    expect(shared.bytes).toBe(48 + 48 + 2);
    shared.readers[0].reads(false);
    expect(shared.bytes).toBe(0);
  });
});
