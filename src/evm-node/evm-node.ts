/**
 * The C-chain's EVM as the rest of Firn sees it: a development node that runs as a child process and is never the truth. What it holds
 * follows from the blocks in the store, so it may die at any time.
 */

export interface EvmOptions {
  /** another binary that is used like anvil; by default the one in the package for this platform */
  readonly binary?: string;
  /** a dump of the child's state is written every so many blocks; by default where it saves about a second of rebuilding */
  readonly blocksPerDump?: number;
  /** tests: aAVAX per gas of a block with this time; by default the era's least */
  readonly baseFeeAt?: (timestamp: bigint) => bigint;
}

export interface EvmHealth {
  readonly isUp: boolean;
  /** why not, for people */
  readonly problem?: string;
}

export interface EvmNode {
  /** Answers once the child is there and holds no block that is not committed. Rejects with an EvmRequestError if the child refuses. */
  request(method: string, params: unknown): Promise<unknown>;
  /**
   * Raw JSON-RPC body in, raw body out, under the same conditions. Transactions go into the child's pool and then into a block; methods
   * that would change the child behind Firn's back do not exist here.
   */
  forward(body: string): Promise<string>;
  /**
   * Of the child, for subscriptions. It changes with every start of the child, so ask when you connect; what clients call goes
   * through `forward`, which may be sent the same bodies.
   */
  readonly webSocketUrl: string;
  /** Resolves once requests are answered. */
  ready(): Promise<void>;
  health(): EvmHealth;
  stop(): Promise<void>;
}
