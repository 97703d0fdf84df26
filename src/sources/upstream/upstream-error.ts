/** Why a call of a node failed, in classes that say what to do next. */
import { FirnError } from "../../base/errors/errors.ts";

export type RpcFailure =
  /** the node understood and refuses: reverted, wrong parameters, unknown transaction … Final: every node would refuse */
  | "refused"
  /** the method does not exist on this node, or is switched off; other upstreams may have it */
  | "unsupported"
  /** the node no longer has the state of that height, or the block; other upstreams may have it */
  | "no-state"
  /** too many requests; repeat later, and fewer at once */
  | "rate-limited"
  /** the answer or the range is too large; ask for less at once */
  | "too-large"
  /** the node accepts only one call per message. Handled in `upstream.ts`; callers never see it */
  | "no-batch"
  /** no answer in time; repeat later, and fewer at once */
  | "timeout"
  /** no connection, a broken one, status 5xx, or a node that is starting */
  | "unavailable"
  /** not JSON-RPC, an answer to another call, or an answer that contradicts itself */
  | "malformed"
  /** the caller aborted the call */
  | "aborted";

export class UpstreamError extends FirnError {
  readonly failure: RpcFailure;
  /** code of the JSON-RPC error, if the node sent one */
  readonly rpcCode: number | undefined;
  /** data of the JSON-RPC error; for a revert, what the contract returned, in hex */
  readonly data: unknown;
  /** the message of the JSON-RPC error, in the node's own words; cut if very long */
  readonly nodeText: string | undefined;

  constructor(
    failure: RpcFailure,
    message: string,
    detail: {
      readonly rpcCode?: number | undefined;
      readonly data?: unknown;
      readonly nodeText?: string | undefined;
      readonly facts?: Record<string, unknown>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`upstream-${failure}`, message, detail.facts ?? {}, detail.cause === undefined ? {} : { cause: detail.cause });
    this.failure = failure;
    this.rpcCode = detail.rpcCode;
    this.data = detail.data;
    this.nodeText = detail.nodeText;
  }

  /** The node refused; asking it again changes nothing. */
  get isFinal(): boolean {
    return this.failure === "refused" || this.failure === "unsupported" || this.failure === "no-state";
  }
}
