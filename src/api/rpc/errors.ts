/** Errors that a client sees as a JSON-RPC error object. The only codes are -32700, -32600 and -32000 (rpc-avm-info-health 1.9). */
import { FirnError } from "../../base/errors/errors.ts";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const SERVER_ERROR = -32000;

/** An error of a method. `message` is the reference node's text. */
export class RpcError extends FirnError {
  constructor(message: string, options?: ErrorOptions) {
    super("rpc", message, {}, options);
  }
}

/** A parameter that cannot be decoded. The node discards the reason (rpc-platform 1.6). */
export class InvalidArgumentError extends FirnError {
  constructor(reason: string) {
    super(
      "invalid-argument",
      "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls",
      { reason },
    );
  }
}
