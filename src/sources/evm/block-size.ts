/** Estimates a block's memory from the number of its parts. Measured to be right within a third. */
import type { EvmBlock } from "./parser/block.ts";

const TRANSACTION_BYTES = 1200;
const LOG_BYTES = 500;
const FRAME_BYTES = 400;

/** bytes */
export function approximateSize({ transactions, extraData }: EvmBlock): number {
  let bytes = extraData.length;
  for (const { input, logs, frames } of transactions) {
    bytes += TRANSACTION_BYTES + input.length + frames.length * FRAME_BYTES;
    for (const { data } of logs) bytes += LOG_BYTES + data.length;
  }
  return bytes;
}
