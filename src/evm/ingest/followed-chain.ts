/**
 * Follows one EVM chain with everything that belongs to it: connections, its row in the store, the token service, the source, the ingester.
 * If its nodes do not answer, it is opened when they do. A failure of one chain never affects other chains.
 */
import type { Logger } from "pino";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import { rpcSource } from "../../sources/evm/rpc-source.ts";
import { openUpstreamRpc, type UpstreamLimits } from "../../sources/upstream/open-upstream-rpc.ts";
import type { SharedReader } from "../../sources/upstream/shared-answers.ts";
import { UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { Upstreams } from "../../sources/upstream/upstream-rpc.ts";
import type { Store } from "../../store/store.ts";
import type { EvmChainEntry } from "../chain-entry.ts";
import { evmChainIdentity } from "../chain-identity.ts";
import { openLabels } from "../labels/open-labels.ts";
import { openTokenService, type TokenService, type TokenServiceOptions } from "../tokens/token-service.ts";
import type { AnswerThreads } from "./answer-threads.ts";
import { type EvmCommitted, EvmIngester, UpstreamLog } from "./evm-ingester.ts";
import { ChainRefusedError, chainChanges, type OpenChain, openEvmChain } from "./open-chain.ts";

/** When contracts are asked; by default by the machine's clock. */
export type TokenTiming = Pick<TokenServiceOptions, "clock" | "idleMs">;

export interface FollowedChainOptions {
  readonly store: Store;
  readonly entry: EvmChainEntry;
  readonly limits: UpstreamLimits;
  readonly log: Logger;
  /** Runs `register` alone, since it assigns the chain's number. Throws if the chain is followed already. */
  alone(register: () => Promise<OpenChain>): Promise<OpenChain>;
  readonly own?: OwnChain | undefined;
  /** by default answers are read on this thread */
  readonly threads?: AnswerThreads | undefined;
  /** told once the chain is known, whether it is `own` */
  readonly onKnown?: ((isOwn: boolean) => void) | undefined;
  readonly tokenTiming?: TokenTiming | undefined;
  readonly onCommit?: ((chain: OpenChain, committed: EvmCommitted) => void) | undefined;
}

/** A chain of a followed primary network, whose blocks the network's source reads, too. */
export interface OwnChain {
  readonly blockchainId: Id;
  readonly blocks: SharedReader;
}

/** A chain whose nodes have answered. */
interface RunningChain extends OpenChain {
  readonly tokens: TokenService;
}

const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** milliseconds between log lines that say again that a chain cannot be reached */
const MAX_SILENCE_MS = 3_600_000;

export class FollowedChain {
  readonly #options: FollowedChainOptions;
  readonly rpc: Upstreams;
  #running: RunningChain | undefined;
  #end: Promise<void> = Promise.resolve();
  /** attempts that reached no node, and when to log the next one */
  #failures = 0;
  #tellsAgainAt = 0;

  constructor(options: FollowedChainOptions) {
    this.#options = options;
    const { entry, limits, log } = options;
    this.rpc = openUpstreamRpc({ urls: entry.rpc, identity: evmChainIdentity, limits, log, isStartReported: true });
  }

  /** undefined: its nodes have not answered yet, or it has ended */
  get running(): RunningChain | undefined {
    return this.#running;
  }

  /** Name of the first node for people, without anything that may be secret. */
  get name(): string {
    const { host, pathname } = new URL(this.#options.entry.rpc[0]!);
    return `${host}${pathname}`;
  }

  /**
   * Resolves after the first attempt: the chain runs, or its nodes do not answer and are tried again. Rejects with a FirnError if the
   * operator has to change something.
   */
  async start(signal: AbortSignal): Promise<void> {
    const first = await this.#attempt(signal, { isFirst: true }).catch(async (error: unknown) => {
      await this.rpc.close();
      throw error;
    });
    this.#end = this.#follow(first, signal).finally(async () => {
      this.#running = undefined;
      await this.rpc.close();
    });
  }

  /** Resolves when everything has ended, because `signal` was aborted or the operator has to change something. Never rejects. */
  ended(): Promise<void> {
    return this.#end;
  }

  async #follow(first: RunningChain | undefined, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    let chain = first;
    try {
      for (let waitMs = RETRY_MS; chain === undefined && !signal.aborted; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
        await pause(waitMs, signal);
        if (!signal.aborted) chain = await this.#attempt(signal, { isFirst: false });
      }
      if (chain !== undefined) await this.#ingest(chain, signal);
    } catch (error) {
      log.error({ err: error, rpc: this.name }, "Stopped following a chain; others go on");
    }
  }

  /** undefined: no node answers */
  async #attempt(signal: AbortSignal, { isFirst }: { isFirst: boolean }): Promise<RunningChain | undefined> {
    const { store, entry } = this.#options;
    try {
      const chain = await openEvmChain({ store, entry, rpc: this.rpc, signal, alone: (register) => this.#options.alone(register) });
      const { evmChainId, settings } = chain;
      // Serving processes read these files. Opening them here reports mistakes at the start.
      await openLabels(settings.files, evmChainId);
      this.#running = { ...chain, tokens: await this.#openTokens(chain) };
      this.#options.onKnown?.(this.#isOwn(chain));
      return this.#running;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ChainRefusedError || (isFirst && !isOfUpstream(error))) throw error;
      this.#tellUnreachable(error);
      return undefined;
    }
  }

  #isOwn({ settings }: OpenChain): boolean {
    const { own } = this.#options;
    return own !== undefined && settings.blockchainId === own.blockchainId;
  }

  /** Logs one line, then repeats it at growing intervals, however often the chain is tried. A defect is logged with its stack. */
  #tellUnreachable(error: unknown): void {
    if (this.#failures++ > 0 && performance.now() < this.#tellsAgainAt) return;
    this.#tellsAgainAt = performance.now() + Math.min(RETRY_MS * 2 ** this.#failures, MAX_SILENCE_MS);
    const { log } = this.#options;
    const facts = { rpc: this.name, ...(error instanceof FirnError ? { reason: error.message } : { err: error }) };
    if (isNoEvm(error)) log.warn(facts, "This URL is not an EVM node's; give one such as http://127.0.0.1:9650/ext/bc/C/rpc. Trying again");
    else log.warn(facts, "Could not reach a chain; trying again");
  }

  /** Keeps the multicall contract that it found with the settings, for processes that only serve. */
  async #openTokens({ chain, evmChainId, settings }: OpenChain): Promise<TokenService> {
    const { store, log, tokenTiming } = this.#options;
    const tokens = await openTokenService({ store, chain, rpc: this.rpc, settings, log, ...tokenTiming });
    try {
      await store.commit(chainChanges(chain, evmChainId, { ...settings, multicall: tokens.multicall ?? settings.multicall }));
      return tokens;
    } catch (error) {
      await tokens.stop();
      throw error;
    }
  }

  async #ingest(chain: RunningChain, signal: AbortSignal): Promise<void> {
    const { store, onCommit } = this.#options;
    const { chain: number, evmChainId, settings, tokens } = chain;
    const log = this.#options.log.child({ chain: evmChainId.toString() });
    let prefetched = 0;
    const upstream = await UpstreamLog.open(store, number, log, () => ({ nodes: this.rpc.states(), prefetched }));
    const sharedBlocks = this.#isOwn(chain) ? this.#options.own?.blocks : undefined;
    const source = rpcSource({
      rpc: this.rpc,
      sharedBlocks,
      readRun: this.#options.threads?.readerOf(number, store),
      startBlock: settings.startBlock,
      maxReorgDepth: settings.maxReorgDepth,
      traces: settings.traces,
      log,
      onHead: (head) => upstream.head(head),
      onPrefetched: (blocks) => {
        prefetched = blocks;
      },
      onProblem: (problem) => upstream.tell(problem),
    });
    const ingester = new EvmIngester({
      store,
      chain,
      source,
      classifier: tokens.classifier,
      upstream,
      log,
      ...(settings.traces && { retracing: { rpc: this.rpc } }),
      onCommit(committed) {
        tokens.committed();
        onCommit?.(chain, committed);
      },
    });
    try {
      await ingester.run(signal);
    } finally {
      sharedBlocks?.reads(false);
      await tokens.stop();
      await upstream.close();
    }
  }
}

/** The URL answers, but not as an EVM does: it is a web page, or another chain's API. */
function isNoEvm(error: unknown): boolean {
  return error instanceof UpstreamError && (error.isFinal || error.failure === "malformed");
}

/** The nodes do not answer, or return invalid responses. This may pass. */
function isOfUpstream(error: unknown): boolean {
  return error instanceof FirnError && error.meaning.mayPass === true;
}
