/**
 * An EVM chain of a devnet as its index and its token service use it: the child's RPC, the metadata that contracts return, and the problem if
 * indexing stopped. One object for the life of the process, across children and reverts.
 */

import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change } from "../../base/table/table.ts";
import type { EvmChainSettings } from "../../evm/chain-settings.ts";
import type { TokenClass } from "../../evm/facts.ts";
import { evmUpstreams } from "../../evm/index/tables.ts";
import { chainChanges } from "../../evm/ingest/open-chain.ts";
import type { DoubtfulToken } from "../../evm/tokens/classifier.ts";
import { openTokenService, type TokenService } from "../../evm/tokens/token-service.ts";
import type { Address, Hash } from "../../sources/evm/parser/block.ts";
import type { CreatorNonces, TransactionSalts } from "../../sources/evm/parser/block-parser.ts";
import { parseSalts, SALT_TRACER } from "../../sources/evm/parser/salted-creations.ts";
import { failureOf, UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { RpcOutcome, RpcParams, UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { Store } from "../../store/store.ts";
import type { BlockAnswers } from "../anvil/block-answers.ts";
import type { EvmChainSpec, SealedContents, ShownMembers } from "../anvil/chains/evm-chain-spec.ts";
import type { DevelopmentEvm } from "../anvil/development-evm.ts";
import { EvmDownError, EvmRequestError } from "../anvil/evm-error.ts";
import { toHex } from "../anvil/header.ts";
import type { Clock, ServedEvmChain } from "../devnet-types.ts";
import { indexedChain } from "./indexed-height.ts";

interface DevnetEvmChainParts {
  readonly evm: DevelopmentEvm;
  readonly spec: EvmChainSpec;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/** URIs outside the chain are not fetched, because operators must allow that; data URIs are read. */
const NO_FETCHES = { fetches: false, ipfsGateway: undefined, maxBytes: 1 << 20, timeoutMs: 10_000 };

export class DevnetEvmChain implements ServedEvmChain {
  readonly evmChainId: bigint;
  readonly rpc: UpstreamRpc;
  readonly #parts: DevnetEvmChainParts;
  #tokens: Promise<TokenService> | undefined;
  #multicall: Address | undefined;
  #problem: string | undefined;
  #settings: EvmChainSettings | undefined;

  constructor(parts: DevnetEvmChainParts) {
    this.#parts = parts;
    this.evmChainId = parts.spec.evmChainId;
    this.rpc = childRpc((method, params) => parts.evm.request(method, params));
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get multicall(): Address | undefined {
    return this.#multicall;
  }

  shown(sealed: SealedContents | undefined): Promise<ShownMembers> {
    return this.#parts.evm.shown(sealed);
  }

  blockAnswers(height: bigint): Promise<BlockAnswers> {
    return this.#parts.evm.blockAnswers(height);
  }

  /** Nonces of contracts whose failed creations are in a block. */
  noncesBefore(height: bigint, creators: readonly Address[]): Promise<CreatorNonces> {
    const at = toHex(height - 1n);
    return this.#told(
      creators,
      (creator) => ["eth_getTransactionCount", [`0x${creator}`, at]],
      (nonce) => BigInt(nonce as string),
    );
  }

  /** Salts of transactions with failed creations whose addresses depend on a salt. */
  salts(transactions: readonly Hash[]): Promise<TransactionSalts> {
    return this.#told(transactions, (hash) => ["debug_traceTransaction", [`0x${hash}`, { tracer: SALT_TRACER }]], parseSalts);
  }

  /**
   * Classifies tokens, including those in a sealed block; leaves out those that give no answer. Rejects with an EvmDownError if the child
   * is down.
   */
  async classify(tokens: readonly DoubtfulToken[]): Promise<ReadonlyMap<Address, TokenClass>> {
    try {
      return await (await this.#service()).classifier.classify(tokens);
    } catch (error) {
      if (error instanceof UpstreamError && error.cause instanceof EvmDownError) throw error.cause;
      this.#parts.log.warn({ err: error }, "Could not ask contracts for their token standard; classifying them by their logs");
      return new Map();
    }
  }

  /** Call this when blocks of the chain were committed or the clock was moved: contracts may answer differently. */
  wake(): void {
    this.#service().then(
      (service) => service.committed(),
      (error: unknown) => this.#parts.log.warn({ err: error }, `Could not ask the contracts of ${this.#parts.spec.name} about themselves`),
    );
  }

  async reindexNft(token: Address, tokenId: bigint): Promise<boolean> {
    return (await this.#service()).reindexNft(token, tokenId);
  }

  async keep(settings: EvmChainSettings): Promise<void> {
    this.#settings = settings;
    await this.#keepSettings();
  }

  /** Call this when the store's state was replaced. */
  async resume(): Promise<void> {
    await this.#keepSettings();
    this.wake();
  }

  /** Stops indexing; the chain continues without its index. */
  async giveUpIndex(height: bigint, error: unknown): Promise<void> {
    const { log, store, spec } = this.#parts;
    this.#problem = `block ${height} could not be indexed: ${(error as Error).message}`;
    log.error({ err: error, height: height.toString() }, `Could not index a block of ${spec.name}; its index stays behind`);
    // freshness is measured by the machine's clock
    const now = BigInt(Math.floor(Date.now() / 1000));
    const value = { headHeight: height, headTimestamp: now, seenAt: now, problem: this.#problem };
    const { chain } = await indexedChain(store, this.evmChainId);
    await store.commit([{ table: evmUpstreams, key: { chain }, value } as Change]);
  }

  /** Stops asking contracts until the next commit, because the store is about to be replaced or closed. */
  async pause(): Promise<void> {
    const service = this.#tokens;
    this.#tokens = undefined;
    this.#problem = undefined;
    await service?.then((opened) => opened.stop()).catch(() => {});
  }

  /**
   * Asks the child about each key. A key that it refuses, or answers in an invalid form, stays unknown. Rejects with an EvmDownError if it is
   * down.
   */
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
      // after a failure, the next call tries again
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
      // questions about a sealed block must not wait for its commit, because that commit waits for them
      rpc: childRpc((method, params) => evm.requestSealed(method, params)),
      settings: { multicall: undefined, nfts: NO_FETCHES },
      log,
      // uses the devnet's clock, so that daily retries also happen when the clock is moved by a day
      clock: () => clock.seconds(),
    });
    this.#multicall = service.multicall;
    return service;
  }
}

type Ask = (method: string, params: RpcParams) => Promise<unknown>;

/** Presents a chain's child as an UpstreamRpc: a single upstream, which is never retried, because its supervisor knows whether it is up. */
export function childRpc(ask: Ask): UpstreamRpc {
  const request = (method: string, params: RpcParams) =>
    ask(method, params).catch((error: unknown) => {
      throw rpcErrorOf(error, method);
    });
  const outcome = (method: string, params: RpcParams): Promise<RpcOutcome> =>
    request(method, params).then(
      (result) => ({ result }),
      (error: Error) => ({ error }),
    );
  return {
    request,
    requestAll: (calls) => Promise.all(calls.map(({ method, params }) => outcome(method, params))),
  };
}

function rpcErrorOf(error: unknown, method: string): unknown {
  if (error instanceof EvmDownError) return new UpstreamError("unavailable", error.message, { cause: error });
  if (!(error instanceof EvmRequestError)) return error;
  const { message, rpcCode } = error;
  return new UpstreamError(failureOf(rpcCode, message, method, { isBatch: false }), message, { rpcCode, cause: error });
}
