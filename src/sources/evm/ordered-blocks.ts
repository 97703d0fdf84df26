/** Blocks of a range in order while the next ones are fetched: runs of about 100 transactions. */
import { orderedRuns, type RunRange, type RunShape } from "../upstream/ordered-runs.ts";
import { approximateSize } from "./block-size.ts";
import { ReadBlock, type ReceivedBlock, transactionCount } from "./read-block.ts";

const SHAPE: RunShape<ReceivedBlock> = {
  bytesOf: (block) => (block instanceof ReadBlock ? block.bytes : approximateSize(block)),
  unitsOf: transactionCount,
  runs: 32,
  runUnits: 100,
  runItems: 25,
  firstRunItems: 4,
  runBytes: 8 * 2 ** 20,
  assumedBytes: 2 * 2 ** 20,
  heldBytes: 64 * 2 ** 20,
  givenUnits: 3000,
  givenBytes: 32 * 2 ** 20,
};

export function orderedBlocks(range: Omit<RunRange<ReceivedBlock>, "shape">): AsyncGenerator<readonly ReceivedBlock[]> {
  return orderedRuns({ ...range, shape: SHAPE });
}
