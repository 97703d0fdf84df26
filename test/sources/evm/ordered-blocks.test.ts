import { queryObjects } from "node:v8";
import { expect, test } from "vitest";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { orderedBlocks } from "../../../src/sources/evm/rpc-source.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { readRecording } from "../../evm/replay-rpc/recording.ts";

const MIB = 2 ** 20;
const MOST = 160 * MIB;
const HUGE_BYTES = 4 * MIB;
class HugeInput extends Uint8Array {}

const recorded = readRecording(recordingFolder("evm-1")).blocks.find(({ receipts }) => receipts.length > 0)!;
const block = openBlock({ block: recorded.block, receipts: recorded.receipts, traces: recorded.traces }).block();

function withInput(height: bigint, input: Uint8Array): EvmBlock {
  const [transaction] = block.transactions;
  return { ...block, height, transactions: [{ ...transaction!, input }] };
}

/** Those that somebody holds, in bytes: what nobody holds is let go of before. */
const heldBytes = () => queryObjects(HugeInput, { format: "count" }) * HUGE_BYTES;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

test.each([
  ["from the first block on", 0n],
  ["after many small ones", 100n],
])("no more than 160 MiB of huge blocks that come before their turn are held, and all come in order: %s", async (_, hugeFrom) => {
  const fetch = async (from: bigint, count: number) => {
    // the others are there before the first ones
    await turns(from % 3n === 0n ? 30 : 2);
    return Array.from({ length: count }, (_, i) => {
      const height = from + BigInt(i);
      return withInput(height, height < hugeFrom ? Buffer.alloc(100) : new HugeInput(new ArrayBuffer(HUGE_BYTES)));
    });
  };
  let next = 0n;
  let most = 0;
  const range = { fetch, from: 0n, to: hugeFrom + 80n, signal: new AbortController().signal };
  for await (const blocks of orderedBlocks(range)) {
    for (const { height } of blocks) expect(height).toBe(next++);
    await turns(40);
    if (next > hugeFrom && next % 9n === 0n) most = Math.max(most, heldBytes());
  }
  expect(next).toBe(hugeFrom + 81n);
  expect(most).toBeLessThan(MOST);
});
