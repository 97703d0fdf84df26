/** A node that answers from a recording: over HTTP and WebSocket, as badly as is asked of it. */

export interface ReplayFaults {
  /** of one seed the same faults for the same sequence of requests */
  readonly seed?: number;
  /** probabilities per message */
  readonly late?: number;
  readonly inPieces?: number;
  readonly rateLimited?: number;
  readonly serverError?: number;
  readonly wrongIds?: number;
  readonly cutOff?: number;
  readonly garbage?: number;
}

export interface ReplayOptions {
  /** folder with C.jsonl, accounts.json, metadata.json, network.json */
  readonly recording: string;
  /** height of the newest block that is served; default all */
  readonly head?: number;
  readonly faults?: ReplayFaults;
  /** what the node can; default all but `trace_block`, as the recorded C-chain */
  readonly features?: {
    readonly blockReceipts?: boolean;
    readonly callTracer?: boolean;
    readonly traceBlock?: boolean;
    readonly batches?: boolean;
  };
}

export interface ReplayRpc {
  readonly url: string;
  readonly wsUrl: string;
  readonly head: number;
  /** subscribers are told */
  setHead(height: number): void;
  /** The newest `depth` blocks are replaced by `length` (default depth + 1) made-up ones with some of their transactions. */
  reorganise(depth: number, options?: { readonly length?: number; readonly seed?: number }): void;
  /** The recorded blocks again, up to this height (default: all). */
  restore(head?: number): void;
  setFaults(faults: ReplayFaults | undefined): void;
  /** calls answered so far, by method */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export function startReplayRpc(_options: ReplayOptions): Promise<ReplayRpc> {
  throw new Error("not there yet");
}
