/** A connection to one upstream. */
import type { Message } from "./json-rpc-message.ts";

export interface ExchangeLimits {
  /** until the answer is there whole */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface Transport {
  /** The answer, parsed but not looked at. Rejects with an EvmRpcError. */
  exchange(message: Message, limits: ExchangeLimits): Promise<unknown>;
  close(): void;
}
