/** Blocks of an EVM chain read from any JSON-RPC. */
import type { Logger } from "pino";
import type { OpenEvmRpc } from "../../evm/rpc/evm-rpc.ts";
import type { EvmBatch, EvmSource } from "./evm-source.ts";

export interface RpcSourceSettings {
  readonly rpc: OpenEvmRpc;
  readonly startBlock: bigint;
  /** 0: blocks are final */
  readonly maxReorgDepth: number;
  /** false: call traces are not asked for */
  readonly traces: boolean;
  readonly log: Logger;
  /** between looks at the head, where no subscription tells of it; default 1,000 */
  readonly pollMs?: number;
  /** Told of every head that an upstream names, the same one again too: so it is known that somebody answers. */
  readonly onHead?: (head: EvmBatch["head"]) => void;
  /** Told, in a sentence, why there are no blocks at present; again while that lasts. The next head says that it is over. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * The iteration of `batches` goes on through outages of the upstreams. It throws a FirnError where an operator has to do something:
 * `evm-reorg-too-deep`, `evm-traces-pruned`, `evm-start-ahead`.
 */
export function rpcSource(_settings: RpcSourceSettings): EvmSource {
  throw new Error("not there yet");
}
