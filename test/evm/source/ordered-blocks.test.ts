import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { EvmBlock } from "../../../src/evm/block.ts";
import { openBlock } from "../../../src/evm/block-parser/block-parser.ts";
import { orderedBlocks } from "../../../src/evm/source/ordered-blocks.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { readRecording } from "../replay-rpc/recording.ts";

const MIB = 2 ** 20;
const MOST = 160 * MIB;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const recorded = readRecording(recordingFolder("evm-1")).blocks.find(({ receipts }) => receipts.length > 0)!;
const block = openBlock({ block: recorded.block, receipts: recorded.receipts, traces: recorded.traces }).block();

function withInput(height: bigint, bytes: number): EvmBlock {
  const [transaction] = block.transactions;
  return { ...block, height, transactions: [{ ...transaction!, input: Buffer.allocUnsafeSlow(bytes) }] };
}

/** V8 frees what was dropped on a thread of its own, some time after the collection: what stays over several looks is held. */
async function heldSince(before: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 20 && least >= MOST; look++) {
    if (look > 0) await sleep(5);
    collectGarbage();
    least = Math.min(least, process.memoryUsage().arrayBuffers - before);
  }
  return least;
}

test.each([
  ["from the first block on", 0n],
  ["after many small ones", 100n],
])("Of huge blocks that come before their turn no more than 160 MiB are held, and all come in order: %s", async (_, hugeFrom) => {
  const fetch = async (from: bigint, count: number) => {
    // the others are there before the first ones
    await sleep(from % 3n === 0n ? 30 : 2);
    return Array.from({ length: count }, (_, i) => {
      const height = from + BigInt(i);
      return withInput(height, height < hugeFrom ? 100 : 4 * MIB);
    });
  };
  let next = 0n;
  let most = 0;
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const range = { fetch, from: 0n, to: hugeFrom + 80n, signal: new AbortController().signal };
  for await (const blocks of orderedBlocks(range)) {
    for (const { height } of blocks) expect(height).toBe(next++);
    await sleep(40);
    if (next <= hugeFrom) continue;
    most = Math.max(most, await heldSince(before));
  }
  expect(next).toBe(hugeFrom + 81n);
  expect(most).toBeLessThan(MOST);
});
