import { type ErrorCode, type ErrorMeaning, errorCodes } from "./error-codes.ts";

/**
 * The base class of all errors that Firn raises on purpose. `code` is stable, and tests compare it; `facts` are the values in the message.
 */
export class FirnError extends Error {
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly #category: ErrorCode;

  constructor(code: ErrorCode, message: string, facts: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.facts = facts;
    this.#category = code;
  }

  /** The code, or `rule` for rules of the chain, which have codes of their own. */
  get category(): ErrorCode {
    return this.#category;
  }

  /** The meaning of its category. */
  get meaning(): ErrorMeaning {
    return errorCodes[this.#category];
  }
}

/** Whether an error is of a class, or wraps one of that class to add context. */
export function isMadeOf(error: unknown, type: new (...args: never[]) => Error): boolean {
  return causeOf(error, type) !== undefined;
}

/** The error of a class that an error is, or was made of. */
export function causeOf<E extends Error>(error: unknown, type: new (...args: never[]) => E): E | undefined {
  if (error instanceof type) return error;
  return error instanceof Error ? causeOf(error.cause, type) : undefined;
}
