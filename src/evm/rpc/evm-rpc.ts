/** JSON-RPC of an EVM node as the rest of Firn uses it: whatever the transport, however many upstreams. */

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcOutcome = { readonly result: unknown } | { readonly error: Error };

export interface EvmRpc {
  /** Rejects with an EvmRpcError: refused by the node, or no upstream answers. */
  request(method: string, params: readonly unknown[], options?: RequestOptions): Promise<unknown>;
  /** Several at once, in one message where the upstream takes batches. Outcomes in the order of the calls; never rejects. */
  requestAll(calls: readonly RpcCall[], options?: RequestOptions): Promise<readonly RpcOutcome[]>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** somebody waits for the answer of an API request: few retries */
  readonly isInteractive?: boolean;
}
