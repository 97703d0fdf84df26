import { evmCall } from "../../devnet/anvil/evm-call.ts";
import { EvmRequestError, type RpcError } from "../../devnet/anvil/evm-error.ts";
import type { EvmNode } from "../../devnet/anvil/evm-node.ts";

/** Asks an EVM what a client may ask it. Throws, in the same words, where a client would be refused. */
export async function askAsClient(evm: EvmNode, method: string, params: readonly unknown[], client?: object): Promise<string> {
  const answer = await evm.forward(evmCall(1, method, params), client);
  const { result, error } = JSON.parse(answer.toString()) as { readonly result: string; readonly error?: RpcError };
  if (error !== undefined) throw new EvmRequestError(method, error);
  return result;
}
