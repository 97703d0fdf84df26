/** Why a call of a node failed, in classes that say what to do next. */
import { FirnError } from "../../base/errors/errors.ts";

/**
 * Classifies an error of a node. Nodes and the services in front of them agree on few codes, so most errors are classified by their texts:
 * those of geth, coreth, Erigon, Nethermind, Besu, Reth, anvil and the common services.
 */
const METHOD_NOT_FOUND = -32601;
const METHOD_NOT_SUPPORTED = -32004;
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const INTERNAL_ERROR = -32603;
const LIMIT_EXCEEDED = -32005;
/** of the node's own APIs, for everything that a method refuses */
const SERVER_ERROR = -32000;
const REVERTED = 3;

const NO_BATCH = /batch.*(not|un|dis)|(not|un|dis)\S* .*batch/i;
const REVERT = /revert|invalid opcode|out of gas|evm error|vm execution|stack (under|over)flow|execution aborted/i;
const TOO_LARGE =
  /batch.*(size|limit|large|many|exceed)|too many.*batch|response.*(size|large|big)|content.*too large|(payload|entity|body).*too large|query returned more than|(block|log)s? range|range.*(too|exceed|limit|large)|more than \d+ (results|logs)/i;
const RATE_LIMITED =
  /rate.?limit|too many requests|request (limit|rate)|(exceed|over).*(capacity|quota|throughput|compute units|credits)|throttl|daily.*limit/i;
const TIMEOUT = /time.?out|timed out|deadline exceeded/i;
const NO_STATE =
  /missing trie node|(state|histor).*(not available|unavailable|not found|pruned|missing)|required historical|header (not found|for hash not found)|old data not available|pruned|(unknown|missing) block|block.* not found|could not find block|unfinalized data|out.?of.?range|not traceable|after last accepted block|last accepted index|no containers have been accepted/i;
const UNSUPPORTED =
  /does not exist\/is not available|method.*(not (found|supported|available|allowed|whitelisted|enabled|exist)|disabled|unavailable)|unsupported method|tracer.*not found|(upgrade|your) plan|archive.*(plan|add-?on)/i;
const STARTING =
  /syncing|not (ready|initialized|bootstrapped)|starting up|shutting down|connection (closed|refused)|bad gateway|service unavailable/i;

/** methods that execute a contract: a failure is the contract's answer, also if it runs out of gas or time */
const EXECUTES = new Set<string | undefined>(["eth_call", "eth_estimateGas"]);

/** methods that verify a transaction: whatever words the refusal has, it is final */
const VERIFIES = new Set<string | undefined>(["platform.issueTx", "avm.issueTx", "avax.issueTx"]);

export function failureOf(
  code: number | undefined,
  text: string,
  method: string | undefined,
  { isBatch }: { isBatch: boolean },
): RpcFailure {
  if (code === REVERTED || (EXECUTES.has(method) && REVERT.test(text))) return "refused";
  if (code === SERVER_ERROR && VERIFIES.has(method)) return "refused";
  // nodes refuse batches with many different errors
  if (isBatch && NO_BATCH.test(text)) return "no-batch";
  if (code === METHOD_NOT_FOUND || code === METHOD_NOT_SUPPORTED || UNSUPPORTED.test(text)) return "unsupported";
  if (TOO_LARGE.test(text)) return "too-large";
  if (isBatch && method === undefined && (code === INVALID_REQUEST || code === PARSE_ERROR)) return "no-batch";
  if (RATE_LIMITED.test(text) || code === LIMIT_EXCEEDED) return "rate-limited";
  if (NO_STATE.test(text)) return "no-state";
  if (TIMEOUT.test(text)) return "timeout";
  if (STARTING.test(text)) return "unavailable";
  if (code === INVALID_PARAMS || code === INVALID_REQUEST) return "refused";
  if (code === INTERNAL_ERROR || code === PARSE_ERROR) return "unavailable";
  return "refused";
}

/** Classifies an answer that is not JSON-RPC, by its HTTP status. */
export function failureOfStatus(status: number): RpcFailure {
  if (status === 429) return "rate-limited";
  if (status === 413) return "too-large";
  return status === 408 || status === 504 || status === 524 ? "timeout" : "unavailable";
}

/** Counts what goes wrong with an upstream by what an operator does about it. */
const ERROR_KINDS = [
  /** no answer in time */
  "timeout",
  /** nobody listens at the address */
  "connection_refused",
  /** no connection, or one that broke */
  "network",
  /** too many requests: status 429, or an error that says so */
  "rate_limited",
  /** status 5xx, or an error of a node that is starting or failed inside */
  "server_error",
  /** another status than 200, such as that of a wrong path or key */
  "status",
  /** not JSON-RPC, an answer to another call, or one that contradicts itself */
  "malformed",
  /** longer than an answer may be */
  "too_large",
  /** its blocks are not those of the chain */
  "contradiction",
  /** it is of another chain or network */
  "other_network",
] as const;

type ErrorKind = (typeof ERROR_KINDS)[number];

/** messages that failed since the process began; a kind without any is left out */
export type ErrorCounts = Readonly<Partial<Record<ErrorKind, number>>>;

/** undefined: the upstream did answer, or was not waited for */
function errorKindOf({ failure, facts, rpcCode, cause }: UpstreamError): ErrorKind | undefined {
  const status = Number(facts.status ?? 0);
  switch (failure) {
    case "timeout":
      return "timeout";
    case "rate-limited":
      return "rate_limited";
    case "malformed":
      return "malformed";
    case "too-large":
      return "too_large";
    case "unavailable":
      if (status >= 500 || rpcCode !== undefined) return "server_error";
      if (status !== 0) return "status";
      return isRefusedConnection(cause) ? "connection_refused" : "network";
    default:
      return undefined;
  }
}

/** Node.js tries each address of a host, and reports all failures as one. */
function isRefusedConnection(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isRefusedConnection);
  return (cause as { code?: unknown } | undefined)?.code === "ECONNREFUSED";
}

export class ErrorTally {
  readonly #counts: Partial<Record<ErrorKind, number>> = {};

  add(kind: ErrorKind): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
  }

  /** Counts a message by the first of its errors that is the upstream's. */
  addMessage(errors: readonly (Error | undefined)[]): void {
    const kinds = errors.flatMap((error) => (error instanceof UpstreamError ? (errorKindOf(error) ?? []) : []));
    if (kinds[0] !== undefined) this.add(kinds[0]);
  }

  /** a copy */
  get counts(): ErrorCounts {
    return { ...this.#counts };
  }
}

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
