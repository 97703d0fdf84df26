/** Reads rows of blocks, each once. */

import type { TableValue } from "../../../../base/table/table.ts";
import { evmBlocks } from "../../../../evm/index/tables.ts";
import type { EvmReading } from "../present-token.ts";

/** Returns blocks by height; missing blocks are left out. */
export async function readBlocks(
  heights: readonly bigint[],
  { reader, evmChain: { chain } }: EvmReading,
): Promise<ReadonlyMap<bigint, TableValue<typeof evmBlocks>>> {
  const wanted = [...new Set(heights)];
  const rows = await reader.getMany(
    evmBlocks,
    wanted.map((height) => ({ chain, height })),
  );
  return new Map(wanted.flatMap((height, i) => (rows[i] === undefined ? [] : [[height, rows[i]]])));
}
