/** Counts what goes wrong with an upstream by what an operator does about it. */
import { UpstreamError } from "./upstream-error.ts";

export const ERROR_KINDS = [
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

export type ErrorKind = (typeof ERROR_KINDS)[number];

/** messages that failed since the process began; a kind without any is left out */
export type ErrorCounts = Readonly<Partial<Record<ErrorKind, number>>>;

/** undefined: the upstream did answer, or was not waited for */
export function errorKindOf({ failure, facts, rpcCode, cause }: UpstreamError): ErrorKind | undefined {
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
