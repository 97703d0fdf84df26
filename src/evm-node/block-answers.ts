/** What the child says of a block, for the index: the block with its transactions, their receipts and their calls. */
import { toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

/** Results of `eth_getBlockByNumber`, `eth_getBlockReceipts` and `trace_block`. */
export interface BlockAnswers {
  readonly block: unknown;
  readonly receipts: unknown;
  readonly traces: unknown;
}

/** As `trace_block` has a call. */
interface Trace {
  readonly action: { readonly gas?: string };
  readonly error?: string;
  readonly result?: unknown;
}

/** What was not begun costs nothing; all else that fails without a revert takes all the gas that it was given. */
const NOT_BEGUN: ReadonlySet<string> = new Set(["Insufficient balance for transfer", "CallTooDeep"]);

/**
 * Of a block that this child sealed: one that it has from a dump has no traces. `trace_block` reads what was kept while the block was made,
 * where `debug_traceBlockByNumber` would execute it once for each of its transactions.
 */
export async function readBlockAnswers(rpc: JsonRpcClient, height: bigint): Promise<BlockAnswers> {
  const number = toHex(height);
  const [block, receipts, traces] = await rpc.callAll([
    { method: "eth_getBlockByNumber", params: [number, true] },
    { method: "eth_getBlockReceipts", params: [number] },
    { method: "trace_block", params: [number] },
  ]);
  return { block, receipts, traces: Array.isArray(traces) ? (traces as Trace[]).map(withGasUsed) : traces };
}

/** `trace_block` is silent about the gas of what failed without a revert. */
function withGasUsed(trace: Trace): Trace {
  const { action, error, result } = trace;
  if (error === undefined || (result !== undefined && result !== null) || NOT_BEGUN.has(error)) return trace;
  return { ...trace, result: { gasUsed: action.gas } };
}
