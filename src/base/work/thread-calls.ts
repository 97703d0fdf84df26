/** Calls between a thread and the one that started it, by name, in both directions. Arguments and results are copied. */

import type { ErrorCode } from "../errors/error-codes.ts";
import { FirnError } from "../errors/errors.ts";

type Message =
  | { readonly call: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly failure: Failure };

/** An error, which is not copied with its class. */
interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  /** of a FirnError */
  readonly code?: ErrorCode;
  readonly facts?: Readonly<Record<string, unknown>>;
}

interface Pending {
  resolve(value: never): void;
  reject(error: Error): void;
}

type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

export class ThreadCalls {
  readonly #post: (message: Message) => void;
  readonly #answers: Answers;
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  /** @param answers what the other side may call */
  constructor(post: (message: Message) => void, answers: Answers) {
    this.#post = post;
    this.#answers = answers;
  }

  /** Rejects as what is called does, with a FirnError if it was one. */
  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    const call = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(call, { resolve, reject });
      this.#post({ call, name, args });
    });
  }

  /** Takes a message of the other side. */
  take(message: Message): void {
    if ("call" in message) {
      void this.#answer(message.call, message.name, message.args);
      return;
    }
    const pending = this.#pending.get(message.reply);
    this.#pending.delete(message.reply);
    if ("failure" in message) pending?.reject(errorOf(message.failure));
    else pending?.resolve(message.value as never);
  }

  /** The other side is gone. */
  fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  async #answer(reply: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      this.#post({ reply, value: await this.#answers[name]!(...(args as never[])) });
    } catch (error) {
      this.#post({ reply, failure: failureOf(error as Error) });
    }
  }
}

function failureOf(error: Error): Failure {
  const { message, stack } = error;
  return error instanceof FirnError ? { message, stack, code: error.category, facts: error.facts } : { message, stack };
}

function errorOf({ message, stack, code, facts }: Failure): Error {
  const error = code === undefined ? new Error(message) : new FirnError(code, message, { ...facts });
  if (stack !== undefined) error.stack = stack;
  return error;
}
