/** A connection to one upstream. */
import type { AnswerMemory } from "./answer-memory.ts";
import type { RpcCall } from "./upstream-rpc.ts";

/** Calls as one message to a node. */
export interface Message {
  readonly calls: readonly RpcCall[];
  readonly firstId: number;
  readonly body: string;
  /** see RpcCall; the same for all calls */
  readonly path: string;
}

export interface ExchangeLimits {
  /** until the whole answer has arrived */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly memory: AnswerMemory;
  readonly signal: AbortSignal | undefined;
}

/** A whole answer that has arrived. Release it in the end. */
export interface ArrivedAnswer {
  /** Its text in memory that threads share; undefined if it was parsed as it arrived, or is too short to be worth handing on. */
  shared(): Uint8Array | undefined;
  /** Parses it. Returns replies that nobody has checked; results of a large answer come from the readers of the calls. Throws an UpstreamError. */
  read(): unknown;
  /** Gives back its memory. */
  release(): void;
}

export interface Transport {
  /** Resolves when the whole answer has arrived. Rejects with an UpstreamError. */
  exchange(message: Message, limits: ExchangeLimits): Promise<ArrivedAnswer>;
  close(): void;
}
