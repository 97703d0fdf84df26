/** The child of the C-chain as an EvmRpc: one upstream that is never asked twice, since whoever supervises it knows when it is there. */
import type { EvmRpc, RpcOutcome } from "../evm/rpc/evm-rpc.ts";
import { EvmRpcError } from "../evm/rpc/evm-rpc-error.ts";
import { failureOf } from "../evm/rpc/failure-of.ts";
import { EvmDownError, EvmRequestError } from "../evm-node/evm-error.ts";

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

export function childRpc(ask: Ask): EvmRpc {
  const request = (method: string, params: readonly unknown[]) =>
    ask(method, params).catch((error: unknown) => {
      throw rpcErrorOf(error, method);
    });
  const outcome = (method: string, params: readonly unknown[]): Promise<RpcOutcome> =>
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
  if (error instanceof EvmDownError) return new EvmRpcError("unavailable", error.message, { cause: error });
  if (!(error instanceof EvmRequestError)) return error;
  const { message, rpcCode } = error;
  return new EvmRpcError(failureOf(rpcCode, message, method, { isBatch: false }), message, { rpcCode, cause: error });
}
