/**
 * Follows one EVM chain with everything that belongs to it: connections, its row in the store, the token service, the source, the ingester. A
 * chain whose nodes do not answer is opened when they do. Nothing that happens to it reaches other chains.
 */
import type { Logger } from "pino";
import type { EvmChainEntry } from "../../evm/chain-entry.ts";
import { openLabels } from "../../evm/labels/open-labels.ts";
import type { OpenEvmRpc } from "../../evm/rpc/evm-rpc.ts";
import { openEvmRpc } from "../../evm/rpc/open-evm-rpc.ts";
import { openTokenService, type TokenService, type TokenServiceOptions } from "../../evm/tokens/token-service.ts";
import { FirnError } from "../../primitives/errors.ts";
import { rpcSource } from "../../source/evm/rpc-source.ts";
import type { Store } from "../../store/store.ts";
import { type EvmCommitted, EvmIngester } from "./evm-ingester.ts";
import { ChainRefusedError, chainChanges, type OpenChain, openEvmChain } from "./open-chain.ts";
import { pause } from "./pause.ts";
import { UpstreamLog } from "./upstream-log.ts";

/** When contracts are asked: by default as the machine's clock says. */
export type TokenTiming = Pick<TokenServiceOptions, "clock" | "idleMs">;

export interface FollowedChainOptions {
  readonly store: Store;
  readonly entry: EvmChainEntry;
  readonly log: Logger;
  /** Registers a chain while no other one is, since that gives it a number; throws if the chain is followed already. */
  alone(register: () => Promise<OpenChain>): Promise<OpenChain>;
  readonly tokenTiming?: TokenTiming | undefined;
  readonly onCommit?: ((chain: OpenChain, committed: EvmCommitted) => void) | undefined;
}

/** What runs of a chain once its nodes have answered. */
export interface RunningChain extends OpenChain {
  readonly tokens: TokenService;
}

const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export class FollowedChain {
  readonly #options: FollowedChainOptions;
  readonly rpc: OpenEvmRpc;
  #running: RunningChain | undefined;
  #end: Promise<void> = Promise.resolve();

  constructor(options: FollowedChainOptions) {
    this.#options = options;
    this.rpc = openEvmRpc({ urls: options.entry.rpc, log: options.log });
  }

  /** undefined: its nodes have not answered yet, or it has ended */
  get running(): RunningChain | undefined {
    return this.#running;
  }

  /** First node, for people: without what may be secret. */
  get name(): string {
    const { host, pathname } = new URL(this.#options.entry.rpc[0]!);
    return `${host}${pathname}`;
  }

  /**
   * Resolves after the first attempt: the chain runs, or its nodes do not answer and it is tried again. Rejects with a FirnError if the operator
   * has to change something.
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

  /** Everything has ended, after `signal` was aborted or because the operator has to change something. Never rejects. */
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
    const { store, entry, log } = this.#options;
    try {
      const chain = await openEvmChain({ store, entry, rpc: this.rpc, signal, alone: (register) => this.#options.alone(register) });
      const { evmChainId, settings } = chain;
      // Serving processes read them; whatever is wrong with them is told here, at the start
      await openLabels(settings.files, evmChainId);
      this.#running = { ...chain, tokens: await this.#openTokens(chain) };
      return this.#running;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ChainRefusedError || (isFirst && !isOfUpstream(error))) throw error;
      log.warn({ err: error, rpc: this.name }, "Could not reach a chain; trying again");
      return undefined;
    }
  }

  /** The contract for many calls that it found is kept with the settings, for processes that only serve. */
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
    const upstream = await UpstreamLog.open(store, number, log);
    const source = rpcSource({
      rpc: this.rpc,
      startBlock: settings.startBlock,
      maxReorgDepth: settings.maxReorgDepth,
      traces: settings.traces,
      log,
      onHead: (head) => upstream.head(head),
      onProblem: (problem) => upstream.tell(problem),
    });
    const ingester = new EvmIngester({
      store,
      chain,
      source,
      classifier: tokens.classifier,
      upstream,
      log,
      onCommit(committed) {
        tokens.committed();
        onCommit?.(chain, committed);
      },
    });
    try {
      await ingester.run(signal);
    } finally {
      await tokens.stop();
      await upstream.close();
    }
  }
}

/** Of nodes that do not answer, or not sensibly: it may pass. */
function isOfUpstream(error: unknown): boolean {
  return error instanceof FirnError && (error.code.startsWith("evm-rpc-") || error.code === "evm-chain-id");
}
