/**
 * The C-chain's EVM as a child process (anvil) that Firn starts, watches and rebuilds from the blocks in its store. Requests wait while
 * a block is sealed that is not committed yet.
 */
import type { Logger } from "pino";
import type { NetworkInstance } from "../network/network.ts";
import type { StoreReader } from "../store/store.ts";
import type { EvmHealth, EvmNode, EvmOptions } from "./evm-node.ts";

export interface DevelopmentEvmOptions extends EvmOptions {
  /** for dumps of the child's state and its pid file */
  readonly directory: string;
  readonly network: NetworkInstance;
  /** holds the C-chain's committed blocks; after a revert, those of the restored state */
  readonly store: StoreReader;
  readonly log: Logger;
  /**
   * There are transactions in the child's pool: asks for a round. Resolves when the client may be answered, that is after the commit of
   * the round if blocks are built at once.
   */
  readonly requestRound: () => Promise<void>;
}

export class DevelopmentEvm implements EvmNode {
  readonly #options: DevelopmentEvmOptions;

  /** Starts the child in the background: nothing waits for it but what needs it. */
  constructor(options: DevelopmentEvmOptions) {
    this.#options = options;
  }

  get webSocketUrl(): string {
    throw new Error(`not there yet: ${this.#options.directory}`);
  }

  request(method: string, params: unknown): Promise<unknown> {
    return Promise.reject(new Error(`not there yet: ${method} ${params}`));
  }

  forward(body: string): Promise<string> {
    return Promise.reject(new Error(`not there yet: ${body}`));
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  health(): EvmHealth {
    return { isUp: false, problem: "not there yet" };
  }

  /** The blocks that were sealed are committed: requests are answered again. To be called after every commit with a block of C. */
  committed(): void {}

  /**
   * What was sealed since the last commit is void, or the store went back: the child is made anew from the store. Transactions in its pool
   * are sent again unless `forgetsPool`.
   */
  rebuild(_options?: { forgetsPool?: boolean }): Promise<void> {
    return Promise.resolve();
  }

  /** aAVAX in all accounts of the child. For checks: it goes through the whole state. */
  totalBalance(): Promise<bigint> {
    return Promise.resolve(0n);
  }

  async stop(): Promise<void> {}
}
