import { FirnError } from "../primitives/errors.ts";

/** The child is not there, or what it holds cannot be what the store says. */
export class EvmDownError extends FirnError {
  constructor(problem: string, options?: ErrorOptions) {
    super("evm-down", problem, {}, options);
  }
}

/** The child answered a request with an error; the message is its own. */
export class EvmRequestError extends FirnError {
  readonly rpcCode: number;

  constructor(method: string, { code, message }: { code: number; message: string }) {
    super("evm-request", message, { method, rpcCode: code });
    this.rpcCode = code;
  }
}
