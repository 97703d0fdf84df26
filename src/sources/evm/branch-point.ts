/** Finds the last block that the upstream's chain and the indexed chain share. */

import type { UpstreamRpc } from "../upstream/upstream-rpc.ts";
import type { EvmTip } from "./evm-source.ts";
import { AnswerObject } from "./parser/answer-object.ts";
import type { Hash } from "./parser/block.ts";

export interface BranchSearch {
  readonly rpc: UpstreamRpc;
  readonly hashAt: (height: bigint) => Promise<Hash | undefined>;
  /** highest height to compare */
  readonly from: bigint;
  /** lowest height to compare */
  readonly downTo: bigint;
  readonly signal: AbortSignal;
}

/** headers in the first message; each further message has twice as many */
const FIRST_HEADERS = 8n;

export type BranchPoint =
  | EvmTip
  /** no block of the range is on the upstream's chain */
  | "below"
  /** the upstream has fewer blocks than it reported */
  | "moved";

export async function branchPoint({ rpc, hashAt, from, downTo, signal }: BranchSearch): Promise<BranchPoint> {
  let count = FIRST_HEADERS;
  for (let high = from; high >= downTo; high -= count, count *= 2n) {
    const low = high - count + 1n > downTo ? high - count + 1n : downTo;
    const heights = Array.from({ length: Number(high - low + 1n) }, (_, i) => high - BigInt(i));
    const outcomes = await rpc.requestAll(
      heights.map((height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
      { signal },
    );
    for (const [index, height] of heights.entries()) {
      const outcome = outcomes[index]!;
      if ("error" in outcome) throw outcome.error;
      if (outcome.result === null) return "moved";
      const hash = new AnswerObject(outcome.result, `block ${height}`).hash("hash");
      if (hash === (await hashAt(height))) return { height, hash };
    }
  }
  return "below";
}
