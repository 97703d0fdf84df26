import type { RpcError } from "./evm-error.ts";

/** One JSON-RPC call of a client on its way to the C-chain's EVM. */
export interface EvmCall {
  /** JSON as it was sent */
  readonly raw: string;
  /** undefined if there is none, or if it is not a string */
  readonly method: string | undefined;
  /** JSON as it was sent; undefined for a notification */
  readonly id: string | undefined;
  /** whether it may execute more than a block does */
  readonly isDear?: boolean;
}

export function evmCall(id: number, method: string, params: readonly unknown[]): EvmCall {
  return { raw: JSON.stringify({ jsonrpc: "2.0", id, method, params }), method, id: `${id}` };
}

/** The same call as JSON, with other parameters. */
export function rewritten({ id, method }: Pick<EvmCall, "id" | "method">, params: unknown): string {
  const named = id === undefined ? "" : `"id":${id},`;
  return `{"jsonrpc":"2.0",${named}"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}

/** Returns an empty text for a notification. */
export function errorAnswer({ id }: Pick<EvmCall, "id">, { code, message, data }: RpcError): string {
  if (id === undefined) return "";
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`;
}
