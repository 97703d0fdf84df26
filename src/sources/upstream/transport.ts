/** A connection to one upstream. */
import type { AnswerMemory } from "./answer-memory.ts";
import type { Message } from "./json-rpc-message.ts";
import type { ReadElsewhere } from "./upstream-rpc.ts";

export interface ExchangeLimits {
  /** until the whole answer has arrived */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly memory: AnswerMemory;
  readonly signal: AbortSignal | undefined;
  /** called when the whole answer has arrived, before it is read elsewhere */
  readonly onArrived?: () => void;
  readonly readElsewhere?: ReadElsewhere | undefined;
}

export interface Transport {
  /** Returns the parsed, unchecked answer; results of a large one come from the readers of the calls. Rejects with an UpstreamError. */
  exchange(message: Message, limits: ExchangeLimits): Promise<unknown>;
  close(): void;
}
