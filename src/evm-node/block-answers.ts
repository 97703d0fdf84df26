/** What the child says of a block, for the index: the block with its transactions, their receipts and their calls. */
import { toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

/** Results of `eth_getBlockByNumber`, `eth_getBlockReceipts` and `debug_traceBlockByNumber` with callTracer, as they came. */
export interface BlockAnswers {
  readonly block: unknown;
  readonly receipts: unknown;
  readonly traces: unknown;
}

/** Of a block that this child sealed: one that it has from a dump has no traces. */
export async function readBlockAnswers(rpc: JsonRpcClient, height: bigint): Promise<BlockAnswers> {
  const number = toHex(height);
  const [block, receipts, traces] = await rpc.callAll([
    { method: "eth_getBlockByNumber", params: [number, true] },
    { method: "eth_getBlockReceipts", params: [number] },
    { method: "debug_traceBlockByNumber", params: [number, { tracer: "callTracer" }] },
  ]);
  return { block, receipts, traces };
}
