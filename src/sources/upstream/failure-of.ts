/**
 * Classifies an error of a node. Nodes and the services in front of them agree on few codes, so most errors are classified by their texts:
 * those of geth, coreth, Erigon, Nethermind, Besu, Reth, anvil and the common services.
 */
import type { RpcFailure } from "./upstream-error.ts";

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
