/** The RPC of one EVM chain over all URLs that the operator gave: failover, retries, batches, and as much at once as upstreams bear. */
import type { Logger } from "pino";
import type { OpenEvmRpc } from "./evm-rpc.ts";

export interface EvmRpcSettings {
  /** `http(s)://` and `ws(s)://`, best first; all of the same chain */
  readonly urls: readonly string[];
  readonly log: Logger;
  /** messages under way at once per upstream, at most; default 32 */
  readonly maxConcurrency?: number;
  /** calls in one message, at most; default 100 */
  readonly maxBatch?: number;
  /** of one message's answer; default 256 MiB */
  readonly maxAnswerBytes?: number;
  /** until an answer has come whole; default 30,000 */
  readonly timeoutMs?: number;
}

export function openEvmRpc(_settings: EvmRpcSettings): OpenEvmRpc {
  throw new Error("not there yet");
}
