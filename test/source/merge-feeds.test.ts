import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { type LiveItem, mergeFeeds } from "../../src/source/node/merge-feeds.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const RUNS = 30_000;
/** each run that left something behind leaves some hundreds of bytes */
const MOST_BYTES = 2_000_000;

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
    if (runs === 1_000) {
      collect();
      atFirst = process.memoryUsage().heapUsed;
    }
    if (runs === RUNS) break;
  }
  collect();
  expect(process.memoryUsage().heapUsed - atFirst).toBeLessThan(MOST_BYTES);
  ending.abort();
});
