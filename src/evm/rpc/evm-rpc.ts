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

/** An EvmRpc that owns connections. */
export interface OpenEvmRpc extends EvmRpc {
  /**
   * Tells of new heads where an upstream has a WebSocket: `onHead` is called after each, at most once per answer. It stops with the signal.
   * False: no upstream can, poll.
   */
  subscribeHeads(onHead: () => void, signal: AbortSignal): boolean;
  /** Ends connections; what is under way rejects. */
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** somebody waits for the answer of an API request: few retries */
  readonly isInteractive?: boolean;
  /**
   * Throws if the outcomes cannot be: they are refused then, count against the upstream that gave them, and others are asked. What it threw
   * last becomes the error of all calls if none gives better ones.
   */
  readonly accept?: (outcomes: readonly RpcOutcome[]) => void;
}
