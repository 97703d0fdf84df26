/** Why a call of an EVM node failed, in classes that say what to do about it. */
import { FirnError } from "../../primitives/errors.ts";

export type RpcFailure =
  /** the node understood and refuses: reverted, wrong parameters, unknown transaction … Final: every node says so */
  | "refused"
  /** the method does not exist here, or is switched off. Other upstreams may have it */
  | "unsupported"
  /** the node no longer holds the state of that height (or the block). Other upstreams may */
  | "no-state"
  /** too many requests: the same again, later and fewer at once */
  | "rate-limited"
  /** the answer or the range is too large: the same in smaller pieces */
  | "too-large"
  /** the node takes one call per message only; upstreams are asked so, callers never see it */
  | "no-batch"
  /** no answer in time: later and fewer at once */
  | "timeout"
  /** no connection, a broken one, 5xx, a node that starts */
  | "unavailable"
  /** an answer that is no JSON-RPC, or one to another question, or one that contradicts itself */
  | "malformed"
  /** the caller gave up */
  | "aborted";

export class EvmRpcError extends FirnError {
  readonly failure: RpcFailure;
  /** of the JSON-RPC error, where the node gave one */
  readonly rpcCode: number | undefined;
  /** of the JSON-RPC error; of a revert what the contract returned, as hex */
  readonly data: unknown;

  constructor(
    failure: RpcFailure,
    message: string,
    detail: {
      readonly rpcCode?: number | undefined;
      readonly data?: unknown;
      readonly facts?: Record<string, unknown>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`evm-rpc-${failure}`, message, detail.facts ?? {}, detail.cause === undefined ? {} : { cause: detail.cause });
    this.failure = failure;
    this.rpcCode = detail.rpcCode;
    this.data = detail.data;
  }

  /** The node gave its answer, and it is no: asking again changes nothing. */
  get isFinal(): boolean {
    return this.failure === "refused" || this.failure === "unsupported" || this.failure === "no-state";
  }
}
