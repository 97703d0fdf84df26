/**
 * A devnet's C-chain as its index and its token service see it: the child's RPC, what contracts say of themselves, and why the index stays
 * behind if it does. One for the process's life, whatever child runs and whatever the store was put back to.
 */
import type { Logger } from "pino";
import type { Address, Hash } from "../evm/block.ts";
import { parseSalts, SALT_TRACER } from "../evm/block-parser/salted-creations.ts";
import type { CreatorNonces, TransactionSalts } from "../evm/block-parser.ts";
import type { EvmChainSettings } from "../evm/chain-settings.ts";
import type { TokenClass } from "../evm/facts.ts";
import type { EvmRpc } from "../evm/rpc/evm-rpc.ts";
import { EvmRpcError } from "../evm/rpc/evm-rpc-error.ts";
import type { DoubtfulToken } from "../evm/tokens/classifier.ts";
import { openTokenService, type TokenService } from "../evm/tokens/token-service.ts";
import type { BlockAnswers } from "../evm-node/block-answers.ts";
import { cChainGenesis } from "../evm-node/c-chain-genesis.ts";
import type { DevelopmentEvm } from "../evm-node/development-evm.ts";
import { EvmDownError } from "../evm-node/evm-error.ts";
import { toHex } from "../evm-node/header.ts";
import { evmUpstreams } from "../index/evm/tables.ts";
import { chainChanges } from "../ingest/evm/open-chain.ts";
import type { NetworkInstance } from "../network/network.ts";
import { FirnError } from "../primitives/errors.ts";
import type { Change } from "../primitives/table.ts";
import type { Store } from "../store/store.ts";
import { childRpc } from "./child-rpc.ts";
import type { Clock, ServedEvmChain } from "./devnet.ts";
import { indexedChain } from "./evm-indexed.ts";

export interface DevnetEvmChainParts {
  readonly evm: DevelopmentEvm;
  readonly network: NetworkInstance;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Token URIs of the network are for operators to allow; those that hold their content are read. */
const NO_FETCHES = { fetches: false, ipfsGateway: undefined, maxBytes: 1 << 20, timeoutMs: 10_000 };

export class DevnetEvmChain implements ServedEvmChain {
  readonly evmChainId: bigint;
  readonly rpc: EvmRpc;
  readonly #parts: DevnetEvmChainParts;
  #tokens: Promise<TokenService> | undefined;
  #multicall: Address | undefined;
  #problem: string | undefined;
  #settings: EvmChainSettings | undefined;

  constructor(parts: DevnetEvmChainParts) {
    this.#parts = parts;
    this.evmChainId = BigInt(cChainGenesis(parts.network).chainId);
    this.rpc = childRpc((method, params) => parts.evm.request(method, params));
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get multicall(): Address | undefined {
    return this.#multicall;
  }

  blockAnswers(height: bigint): Promise<BlockAnswers> {
    return this.#parts.evm.blockAnswers(height);
  }

  /** Of contracts whose failed creations are in a block. */
  noncesBefore(height: bigint, creators: readonly Address[]): Promise<CreatorNonces> {
    const at = toHex(height - 1n);
    return this.#told(
      creators,
      (creator) => ["eth_getTransactionCount", [`0x${creator}`, at]],
      (nonce) => BigInt(nonce as string),
    );
  }

  /** Of transactions in which creations failed whose addresses depend on a salt. */
  salts(transactions: readonly Hash[]): Promise<TransactionSalts> {
    return this.#told(transactions, (hash) => ["debug_traceTransaction", [`0x${hash}`, { tracer: SALT_TRACER }]], parseSalts);
  }

  /** Of a sealed block's tokens, too; what cannot be told is left out. Rejects with an EvmDownError if the child is not there. */
  async classify(tokens: readonly DoubtfulToken[]): Promise<ReadonlyMap<Address, TokenClass>> {
    try {
      return await (await this.#service()).classifier.classify(tokens);
    } catch (error) {
      if (error instanceof EvmRpcError && error.cause instanceof EvmDownError) throw error.cause;
      this.#parts.log.warn({ err: error }, "Could not ask contracts what they are; their logs are taken for what they look like");
      return new Map();
    }
  }

  /** Blocks of C were committed, or the clock was moved: contracts may have something to say. */
  wake(): void {
    this.#service().then(
      (service) => service.committed(),
      (error: unknown) => this.#parts.log.warn({ err: error }, "Could not ask the C-chain's contracts about themselves"),
    );
  }

  async reindexNft(token: Address, tokenId: bigint): Promise<boolean> {
    return (await this.#service()).reindexNft(token, tokenId);
  }

  async keep(settings: EvmChainSettings): Promise<void> {
    this.#settings = settings;
    await this.#keepSettings();
  }

  /** The store holds another state than it did. */
  async resume(): Promise<void> {
    await this.#keepSettings();
    this.wake();
  }

  /** The chain goes on without its index. */
  async giveUpIndex(height: bigint, error: unknown): Promise<void> {
    const { log, store } = this.#parts;
    this.#problem = `block ${height} could not be indexed: ${(error as Error).message}`;
    log.error({ err: error, height: height.toString() }, "Could not index a block of the C-chain; its index stays behind");
    // freshness is told by the machine's clock
    const now = BigInt(Math.floor(Date.now() / 1000));
    const value = { headHeight: height, headTimestamp: now, seenAt: now, problem: this.#problem };
    const { chain } = await indexedChain(store, this.evmChainId);
    await store.commit([{ table: evmUpstreams, key: { chain }, value } as Change]);
  }

  /** Asks contracts nothing more until the next block is committed: the store is about to change, or to be closed. */
  async pause(): Promise<void> {
    const service = this.#tokens;
    this.#tokens = undefined;
    this.#problem = undefined;
    await service?.then((opened) => opened.stop()).catch(() => {});
  }

  /** What the child says no to, or answers with nonsense, stays unknown. Rejects with an EvmDownError if it is not there. */
  async #told<T>(
    keys: readonly string[],
    question: (key: string) => [method: string, params: readonly unknown[]],
    read: (answer: unknown) => T,
  ): Promise<Map<string, T>> {
    const told = new Map<string, T>();
    for (const key of keys) {
      try {
        told.set(key, read(await this.#parts.evm.requestSealed(...question(key))));
      } catch (error) {
        if (error instanceof EvmDownError || !(error instanceof FirnError)) throw error;
        this.#parts.log.warn({ err: error }, "Could not learn the address of a failed creation");
      }
    }
    return told;
  }

  async #keepSettings(): Promise<void> {
    const { store } = this.#parts;
    if (this.#settings === undefined) return;
    const { chain } = await indexedChain(store, this.evmChainId);
    await store.commit(chainChanges(chain, this.evmChainId, this.#settings));
  }

  #service(): Promise<TokenService> {
    if (this.#tokens === undefined) {
      const opening = this.#open();
      this.#tokens = opening;
      // the next one tries again
      opening.catch(() => {
        if (this.#tokens === opening) this.#tokens = undefined;
      });
    }
    return this.#tokens;
  }

  async #open(): Promise<TokenService> {
    const { store, evm, log, clock } = this.#parts;
    const { chain } = await indexedChain(store, this.evmChainId);
    const service = await openTokenService({
      store,
      chain,
      // whoever asks about a sealed block makes the commit that requests wait for
      rpc: childRpc((method, params) => evm.requestSealed(method, params)),
      settings: { multicall: undefined, nfts: NO_FETCHES },
      log,
      // what is asked again after a day is when the clock was moved by one
      clock: () => clock.seconds(),
    });
    this.#multicall = service.multicall;
    return service;
  }
}
