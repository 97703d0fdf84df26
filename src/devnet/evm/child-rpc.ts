/** Presents a chain's child as an UpstreamRpc: a single upstream, which is never retried, because its supervisor knows whether it is up. */

import { failureOf } from "../../sources/upstream/failure-of.ts";
import { UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { RpcOutcome, RpcParams, UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import { EvmDownError, EvmRequestError } from "../anvil/evm-error.ts";

type Ask = (method: string, params: RpcParams) => Promise<unknown>;

export function childRpc(ask: Ask): UpstreamRpc {
  const request = (method: string, params: RpcParams) =>
    ask(method, params).catch((error: unknown) => {
      throw rpcErrorOf(error, method);
    });
  const outcome = (method: string, params: RpcParams): Promise<RpcOutcome> =>
    request(method, params).then(
      (result) => ({ result }),
      (error: Error) => ({ error }),
    );
  return {
    request,
    requestAll: (calls) => Promise.all(calls.map(({ method, params }) => outcome(method, params))),
  };
}

function rpcErrorOf(error: unknown, method: string): unknown {
  if (error instanceof EvmDownError) return new UpstreamError("unavailable", error.message, { cause: error });
  if (!(error instanceof EvmRequestError)) return error;
  const { message, rpcCode } = error;
  return new UpstreamError(failureOf(rpcCode, message, method, { isBatch: false }), message, { rpcCode, cause: error });
}
