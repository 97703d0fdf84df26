/** Reads a block from the child for the index: the block with its transactions, their receipts and their call traces. */
import type { BlockTraces } from "./block-traces.ts";
import { toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

export interface BlockAnswers {
  /** result of `eth_getBlockByNumber` */
  readonly block: unknown;
  /** result of `eth_getBlockReceipts` */
  readonly receipts: unknown;
  /** result of `trace_block`, or ReadTraces */
  readonly traces: unknown;
}

export async function readBlockAnswers(rpc: JsonRpcClient, height: bigint, traces: BlockTraces): Promise<BlockAnswers> {
  const number = toHex(height);
  const [block, receipts] = await rpc.callAll([
    { method: "eth_getBlockByNumber", params: [number, true] },
    { method: "eth_getBlockReceipts", params: [number] },
  ]);
  const { transactions } = block as { readonly transactions: readonly unknown[] };
  return { block, receipts, traces: await traces.read(rpc, height, transactions.length) };
}
