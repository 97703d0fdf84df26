import { FirnError } from "../../base/errors/errors.ts";

/** The child is not running, or its state cannot match the store. */
export class EvmDownError extends FirnError {
  constructor(problem: string, options?: ErrorOptions) {
    super("evm-down", problem, {}, options);
  }
}

/** The child works on a call for too long. */
export class EvmBusyError extends FirnError {
  constructor(timeoutMs: number, name: string) {
    super("evm-busy", `${name}'s EVM did not answer within ${timeoutMs / 1000} s; ask for less at a time`, { timeoutMs });
  }
}

/** As in JSON-RPC. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** what a contract reverted with */
  readonly data?: unknown;
}

/** The child answered a request with this error; message and data are the child's. */
export class EvmRequestError extends FirnError {
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: RpcError) {
    super("evm-request", message, { method, rpcCode: code });
    this.rpcCode = code;
    this.data = data;
  }
}

/** geth's errors for requests that take too much. */
export const RESPONSE_TOO_LARGE = { code: -32_003, message: "response too large" };
export const TIMED_OUT = { code: -32_002, message: "request timed out" };

/** @param name of the chain */
export function limitExceeded(name: string): { readonly code: number; readonly message: string } {
  return { code: -32_005, message: `too many calls wait for ${name}'s EVM; try again in a moment` };
}
