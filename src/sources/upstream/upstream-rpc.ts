/** JSON-RPC of a node for the rest of Firn, whatever the transport and the number of upstreams. */

import type { AnswerReader } from "../../base/json/json-events.ts";
import type { ErrorCounts } from "./upstream-error.ts";

export type RpcParams = readonly unknown[] | Readonly<Record<string, unknown>>;

export interface RpcCall {
  readonly method: string;
  readonly params: RpcParams;
  /** path of the API below the operator's URLs, such as "/ext/bc/P"; default: the URL itself */
  readonly path?: string;
  /**
   * Makes the result of a large answer while it arrives; by default it is parsed completely. Small answers are always parsed completely.
   */
  readonly reader?: () => AnswerReader;
  /** most bytes of the answer, for who needs less than the method's bound */
  readonly mostBytes?: number;
}

/** `upstream`: who said so, as a place in the list of URLs; absent if nobody did */
export type RpcOutcome = { readonly result: unknown; readonly upstream?: number } | { readonly error: Error; readonly upstream?: number };

export interface UpstreamRpc {
  /** Rejects with an UpstreamError if the node refuses or no upstream answers. */
  request(method: string, params: RpcParams, options?: RequestOptions): Promise<unknown>;
  /** Sends several calls, in one message if the upstream accepts batches. Returns outcomes in the order of the calls; never rejects. */
  requestAll(calls: readonly RpcCall[], options?: RequestOptions): Promise<readonly RpcOutcome[]>;
}

/** An UpstreamRpc that owns its connections. */
export interface OpenUpstreamRpc extends UpstreamRpc {
  /**
   * Calls `onHead` after each new head until the signal is aborted, at most once per answer. Returns false if no upstream has a WebSocket;
   * then poll.
   */
  subscribeHeads(onHead: () => void, signal: AbortSignal): boolean;
  /** Closes the connections; calls under way reject. */
  close(): Promise<void>;
}

/** Several upstreams, each known by its place in the list of URLs. */
export interface Upstreams extends OpenUpstreamRpc {
  /** in the order of the URLs */
  states(): readonly UpstreamState[];
  /** Sets an upstream aside that contradicts the chain, until `trust` says that its answers are good again. */
  refuse(upstream: number, reason: string, aside: Aside): void;
  /** Lets it be asked again: it no longer says what it was refused for. */
  clearRefusal(upstream: number): void;
  trust(upstream: number): void;
}

/** For how long an upstream is not asked: twice as long each time, in milliseconds. */
export interface Aside {
  readonly firstMs: number;
  readonly longestMs: number;
}

export interface UpstreamState {
  /** its URL without what may be secret */
  readonly name: string;
  readonly state: "used" | "resting" | "refused";
  /** why it is not used, or what is wrong with it though it is */
  readonly reason?: string | undefined;
  /** number of consecutive messages without a usable answer */
  readonly failures: number;
  readonly errors: ErrorCounts;
}

/** A whole message of answers as it arrived: JSON, a list of replies. */
interface MessageAnswers {
  readonly calls: readonly RpcCall[];
  /** ID of the first call; each of the others has the next number */
  readonly firstId: number;
  /** shared memory */
  readonly body: Uint8Array;
}

/**
 * Decodes a message of answers as a whole, such as on another thread. Returns what became of each call, in their order; undefined if it is not
 * simply that, such as when a reply is an error: it is then decoded reply by reply. Never rejects.
 */
export type MessageDecoder = (answers: MessageAnswers) => Promise<readonly unknown[] | undefined>;

export interface RequestOptions {
  /** Ranks upstreams (places in the list of URLs) that do not rest, lowest first; undefined: not to be asked. By default as they were given. */
  readonly rank?: (upstream: number) => number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** a client waits for the answer, so there are few retries */
  readonly isInteractive?: boolean;
  /** rounds over the upstreams before the call fails; fewer than the default to learn of a failure sooner */
  readonly attempts?: number;
  /** milliseconds until the whole answer of an upstream has arrived; others are asked then */
  readonly timeoutMs?: number;
  /** by default answers are decoded reply by reply */
  readonly decoder?: MessageDecoder | undefined;
  /** asks upstreams too that are set aside */
  readonly evenRefused?: boolean;
  /**
   * Throws if the outcomes are impossible. They are then refused, count against the upstream that gave them, and others are asked. If no
   * upstream gives better outcomes, the last error becomes that of all calls.
   */
  readonly accept?: (outcomes: readonly RpcOutcome[]) => void;
}
