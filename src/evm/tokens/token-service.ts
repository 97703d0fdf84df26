/**
 * Everything about an EVM chain's tokens that only contracts can answer. The ingester asks for their class before a block is indexed. In
 * the background, this service reads metadata of contracts and NFTs, and compares balances from logs with those of the contracts. It writes
 * the tables of `index/token-tables.ts` in small commits of its own, and none of the tables that ingest writes.
 */

import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { Store } from "../../store/store.ts";
import type { EvmChainSettings } from "../chain-settings.ts";
import { evmTokens } from "../index/tables.ts";
import { evmContractMetadata, evmNamedTokens } from "../index/token-tables.ts";
import { openNftFetcher } from "../nft/fetcher.ts";
import { BalanceWork } from "./balance-work.ts";
import { ContractClassifier, type TokenClassifier } from "./classifier.ts";
import { ContractReader, takesGas } from "./contract-reader.ts";
import { MetadataWork } from "./metadata-work.ts";
import { USUAL_MULTICALL } from "./multicall.ts";
import { NftWork, URI_GAS } from "./nft-work.ts";
import { TokenCommits } from "./token-commits.ts";
import { nameChanges } from "./token-names.ts";
import type { TokenWork, WorkParts } from "./token-work.ts";

/** most milliseconds until work that becomes due by the clock is noticed */
const IDLE_MS = 15_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** Does pieces of several kinds of work in turn. It sleeps when nothing is due, and waits longer after each failure of the upstream. */
export class WorkLoop {
  readonly #works: readonly TokenWork[];
  readonly #log: Logger;
  readonly #idleMs: number;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #isWoken = false;
  #wake: () => void = () => {};

  constructor(works: readonly TokenWork[], log: Logger, idleMs = IDLE_MS) {
    this.#works = works;
    this.#log = log;
    this.#idleMs = idleMs;
    this.#done = this.#run();
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** Resolves when the current piece is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      try {
        const hasMore = await this.#round(signal);
        retryMs = FIRST_RETRY_MS;
        if (!hasMore) await this.#sleep(this.#idleMs, { untilWoken: true });
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error, retryMs }, "Could not ask contracts; asking again");
        // Every block wakes the loop, but a failing upstream must not be asked each time.
        await this.#sleep(retryMs, { untilWoken: false });
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  /** Does one piece of each kind. Returns whether something was done, so there may be more. */
  async #round(signal: AbortSignal): Promise<boolean> {
    let hasMore = false;
    for (const work of this.#works) {
      if (signal.aborted) return false;
      hasMore = (await work.step(signal)) || hasMore;
    }
    return hasMore;
  }

  async #sleep(ms: number, { untilWoken }: { untilWoken: boolean }): Promise<void> {
    if (this.#stopping.signal.aborted || (untilWoken && this.#isWoken)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!untilWoken && !this.#stopping.signal.aborted) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

const TOKENS_PER_STEP = 500;

/**
 * Looks once after the start for tokens that are not found by the names that are known of them: an older Firn asked for these. Names that
 * become known later are written with them (`metadata-work.ts`).
 */
export class NameWork implements TokenWork {
  readonly #parts: Pick<WorkParts, "store" | "commits" | "chain">;
  /** token up to which it has come; undefined: to the end */
  #reached: Address | undefined = "";

  constructor(parts: Pick<WorkParts, "store" | "commits" | "chain">) {
    this.#parts = parts;
  }

  async step(): Promise<boolean> {
    if (this.#reached === undefined) return false;
    const { store, commits, chain } = this.#parts;
    const after = this.#reached === "" ? {} : { after: { token: this.#reached } };
    const tokens = await store.scan(evmTokens, { prefix: { chain }, ...after, limit: TOKENS_PER_STEP });
    const [said, named] = await Promise.all([
      store.getMany(
        evmContractMetadata,
        tokens.map(({ key }) => ({ chain, contract: key.token })),
      ),
      store.getMany(
        evmNamedTokens,
        tokens.map(({ key: { token } }) => ({ chain, token })),
      ),
    ]);
    await commits.commit(
      tokens.flatMap(({ key: { token }, value: { kind, height } }, i) => {
        const metadata = said[i];
        return nameChanges(chain, token, named[i], kind === 0 || metadata === undefined ? undefined : { height, metadata });
      }),
    );
    this.#reached = tokens.length < TOKENS_PER_STEP ? undefined : tokens.at(-1)!.key.token;
    return this.#reached !== undefined;
  }
}

export interface TokenServiceOptions {
  readonly store: Store;
  /** the chain's number in keys of tables */
  readonly chain: number;
  readonly rpc: UpstreamRpc;
  readonly settings: Pick<EvmChainSettings, "multicall" | "nfts">;
  readonly log: Logger;
  /** Unix seconds; by default the machine's clock */
  readonly clock?: () => bigint;
  /** most milliseconds until work that becomes due by the clock is noticed; by default some seconds */
  readonly idleMs?: number;
}

export interface TokenService {
  readonly classifier: TokenClassifier;
  /** the Multicall3 contract, if the chain has one */
  readonly multicall: Address | undefined;
  /** Call it after a commit of blocks, so that new contracts and NFTs are asked soon. */
  committed(): void;
  /** Requests that an NFT's metadata be read again. Resolves to false within an hour of the last request. */
  reindexNft(token: Address, tokenId: bigint): Promise<boolean>;
  /** Resolves when no work is under way any more. */
  stop(): Promise<void>;
}

/** Finds the chain's multicall contract and starts the work that is due. Rejects if no upstream answers. */
export async function openTokenService(options: TokenServiceOptions): Promise<TokenService> {
  const { store, chain, rpc, settings, log, clock = machineClock, idleMs } = options;
  const multicall = await findMulticall(rpc, settings.multicall);
  const reader = new ContractReader(rpc, multicall, { boundsGas: await takesGas(rpc, URI_GAS) });
  const parts: WorkParts = { store, chain, rpc, reader, log, clock, commits: new TokenCommits(store, chain) };
  const nfts = new NftWork(parts, openNftFetcher(settings.nfts), settings.nfts);
  // Metadata servers may be slow; contracts and balances do not wait for them.
  const loops = [[new NameWork(parts), new MetadataWork(parts), new BalanceWork(parts)], [nfts]].map(
    (works) => new WorkLoop(works, log, idleMs),
  );
  const wake = () => {
    for (const loop of loops) loop.wake();
  };
  return {
    classifier: new ContractClassifier(reader),
    multicall,
    committed: wake,
    async reindexNft(token, tokenId) {
      const isTaken = await nfts.reindex(token, tokenId);
      if (isTaken) wake();
      return isTaken;
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function machineClock(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

/** @param configured by the operator, with or without `0x` */
async function findMulticall(rpc: UpstreamRpc, configured: string | undefined): Promise<Address | undefined> {
  const address = configured?.replace(/^0x/, "").toLowerCase() ?? USUAL_MULTICALL;
  const code = await rpc.request("eth_getCode", [`0x${address}`, "latest"]);
  if (typeof code === "string" && /^0x[0-9a-f]{2}/i.test(code)) return address;
  if (configured === undefined) return undefined;
  throw new FirnError(
    "no-multicall",
    `the chain has no contract at 0x${address}, the address in multicall; use the address of a Multicall3, or leave it out`,
    {
      multicall: address,
    },
  );
}
