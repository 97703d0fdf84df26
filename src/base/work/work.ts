/** The work of one request: it runs in turns, and it can be ended. */
import { FirnError } from "../errors/errors.ts";

export interface Work {
  /**
   * Call this between pieces of work of a millisecond or less. Returns a promise once the request's turn is over: it resolves when the work
   * may continue, and rejects when the request's time is up or its client is gone.
   */
  turn(): Promise<void> | undefined;
  /**
   * Reports bytes read from a store, which count as held until the request is answered. Throws a LimitError if the requests of the process
   * hold too much.
   */
  hold(bytes: number): void;
  /** Resolves with the reason when the request's time is up or its client is gone; undefined: it never ends. Costs a timer when it is asked for. */
  readonly ended?: Promise<LimitError> | undefined;
  /** the client, where shares are per client; undefined for no particular one */
  readonly client?: object | undefined;
}

/** A request exceeds a limit. `message` says what to ask instead. */
export class LimitError extends FirnError {
  constructor(limit: string, message: string, facts: Record<string, unknown> = {}) {
    super("limit", message, { limit, ...facts });
  }
}

/** Settles as the answer does, or rejects when the work ends before it. For answers that may take any time. */
export function unlessEnded<T>(answer: Promise<T>, { ended }: Work): Promise<T> {
  if (ended === undefined) return answer;
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject);
    void ended.then(reject);
  });
}

/** For callers without limits: tests and commands. */
export const UNLIMITED_WORK: Work = { turn: () => undefined, hold: () => {} };
