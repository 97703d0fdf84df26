/** All EVM chains that a process follows into one store, in parallel. */
import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";
import type { EvmChainEntry } from "../chain-entry.ts";
import { AnswerThreads } from "./answer-threads.ts";
import type { EvmCommitted } from "./evm-ingester.ts";
import { FollowedChain, type FollowedChainOptions, type OwnChain, type TokenTiming } from "./followed-chain.ts";
import { ChainRefusedError, type OpenChain } from "./open-chain.ts";

export interface FollowOptions {
  readonly store: Store;
  readonly entries: readonly EvmChainEntry[];
  readonly limits: FollowedChainOptions["limits"];
  readonly log: Logger;
  /** the chain of a followed primary network, which may be among the entries */
  readonly own?: OwnChain | undefined;
  readonly tokenTiming?: TokenTiming;
  /** threads that read the nodes' answers; 0: none besides this one; by default one less than the machine has processors, 1 to 8 */
  readonly readThreads?: number | undefined;
  readonly onCommit?: (chain: OpenChain, committed: EvmCommitted) => void;
}

export class FollowedChains {
  readonly #chains: readonly FollowedChain[];
  readonly #stopping = new AbortController();
  /** the registration under way */
  #registering: Promise<unknown> = Promise.resolve();
  readonly #entries = new Map<bigint, EvmChainEntry>();
  readonly #threads: AnswerThreads;

  private constructor({ entries, readThreads, ...options }: FollowOptions) {
    const threads = new AnswerThreads(options.log, readThreads);
    this.#threads = threads;
    let undecided = entries.length;
    const onKnown = (isOwn: boolean) => {
      undecided = isOwn ? Number.POSITIVE_INFINITY : undecided - 1;
      if (undecided === 0) options.own?.blocks.reads(false);
    };
    this.#chains = entries.map(
      (entry) => new FollowedChain({ ...options, threads, entry, onKnown, alone: (register) => this.#register(entry, register) }),
    );
  }

  /**
   * Resolves when every chain was tried once. Chains whose nodes do not answer follow when they do. If the operator has to change something
   * for a chain, it rejects with a FirnError and nothing runs.
   */
  static async start(options: FollowOptions): Promise<FollowedChains> {
    const followed = new FollowedChains(options);
    const started = await Promise.allSettled(followed.#chains.map((chain) => chain.start(followed.#stopping.signal)));
    const refused = started.find((result) => result.status === "rejected");
    if (refused === undefined) return followed;
    await followed.stop();
    throw refused.reason;
  }

  /** Chains that run at the moment. */
  get running(): readonly FollowedChain[] {
    return this.#chains.filter(({ running }) => running !== undefined);
  }

  find(evmChainId: bigint): FollowedChain | undefined {
    return this.#chains.find(({ running }) => running?.evmChainId === evmChainId);
  }

  /** Commits what was read and stops everything. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#chains.map((chain) => chain.ended()));
    await this.#threads.close();
  }

  #register(entry: EvmChainEntry, register: () => Promise<OpenChain>): Promise<OpenChain> {
    const registered = this.#registering.then(async () => {
      const chain = await register();
      const { evmChainId } = chain;
      if ((this.#entries.get(evmChainId) ?? entry) !== entry) {
        throw new ChainRefusedError(
          "evm-chain-twice",
          `two entries of chains name chain ${evmChainId}; put all its URLs into one rpc list`,
        );
      }
      this.#entries.set(evmChainId, entry);
      return chain;
    });
    this.#registering = registered.catch(() => {});
    return registered;
  }
}
