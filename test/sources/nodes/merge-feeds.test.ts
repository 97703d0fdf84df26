import { queryObjects } from "node:v8";
import { expect, test } from "vitest";
import { type LiveItem, mergeFeeds } from "../../../src/sources/nodes/merge-feeds.ts";

const RUNS = 2_000;

/** those that somebody holds: what nobody holds is let go of before */
const livePromises = () => queryObjects(Promise, { format: "count" });

test("a chain that stands still for long does not take more memory with each block of another chain", async () => {
  const ending = new AbortController();
  const block = (height: bigint): LiveItem => ({
    ...{ kind: "block", chainId: "aa", height, id: "bb" },
    ...{ container: new Uint8Array(), acceptedAt: height },
  });
  async function* still(): AsyncGenerator<readonly LiveItem[]> {
    await new Promise<void>((resolve) => ending.signal.addEventListener("abort", () => resolve()));
  }
  async function* busy(): AsyncGenerator<readonly LiveItem[]> {
    for (let height = 1n; ; height++) {
      await new Promise(setImmediate);
      yield [block(height)];
    }
  }
  const isComing = () => false;
  const feeds = [
    { chainId: "aa", items: busy(), isComing },
    { chainId: "cc", items: still(), isComing },
  ];
  let runs = 0;
  let atFirst = 0;
  for await (const _ of mergeFeeds(feeds, { signal: ending.signal, isHeld: () => false })) {
    runs++;
    if (runs === 100) atFirst = livePromises();
    if (runs === RUNS) break;
  }
  expect(livePromises() - atFirst).toBeLessThan(RUNS / 10);
  ending.abort();
});
