/** The child of the C-chain as an EvmRpc: one upstream that is never asked twice, since whoever supervises it knows when it is there. */
import type { EvmRpc, RpcOutcome } from "../evm/rpc/evm-rpc.ts";
import { EvmRpcError } from "../evm/rpc/evm-rpc-error.ts";
import { EvmRequestError } from "../evm-node/evm-error.ts";

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

export function childRpc(ask: Ask): EvmRpc {
  const request = (method: string, params: readonly unknown[]) =>
    ask(method, params).catch((error: unknown) => {
      throw rpcErrorOf(error);
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

/** anvil's words for a height whose state it has no more: it was started from a dump of a later one */
const NO_STATE = /BlockOutOfRange/;

function rpcErrorOf(error: unknown): unknown {
  if (!(error instanceof EvmRequestError)) return error;
  const { message, rpcCode } = error;
  return new EvmRpcError(NO_STATE.test(message) ? "no-state" : "refused", message, { rpcCode, cause: error });
}
