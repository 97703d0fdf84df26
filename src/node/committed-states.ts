/**
 * Committed states for requests. All reads of a request, and the heights in its headers, come from one state. Requests that arrive in the
 * same turn of the event loop share it, so a point read does not cost a snapshot of its own.
 */
import { assetChainState, assetChains } from "../asset/tables.ts";
import { evmChain } from "../c-chain/atomic/tables.ts";
import { evmChainStates, evmChains } from "../evm/index/tables.ts";
import { evmTokenRevisions } from "../evm/index/token-tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import { platformChain } from "../platform/tables.ts";
import { CacheSpace } from "../primitives/bounded-cache.ts";
import { formatId } from "../primitives/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import type { Row, TableValue } from "../primitives/table.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { ingestProgress } from "../store/tables.ts";
import { AnswerCache } from "./answer-cache.ts";

/** The chain whose endpoint was called, e.g. `/ext/bc/X`. On endpoints without a chain (`/ext/info`) it is the P-chain. */
export interface EndpointChain {
  readonly chainId: Id;
  /** number of an asset chain in the store's tables */
  readonly chain?: number;
  /** prefix of its addresses: "P", "X", "C", or the blockchain ID */
  readonly alias: string;
}

/** Header names and values, alternating: `Firn-Height-P: 225`. A chain that the store does not hold yet has none. */
export type HeightHeaders = readonly string[];

export interface CommittedState {
  readonly reader: StoreReader;
  /** chains in the store: P, X, other asset chains, C */
  readonly chains: readonly ChainHeight[];
  /** EVM chains with at least one indexed block, in order of their numbers; a devnet's C-chain is in both lists */
  readonly evmChains: readonly EvmChainHeight[];
  readonly heights: HeightHeaders;
  readonly cache: AnswerCache;
  /** values that a process caches across states are valid within one generation; undefined if unknown, which matches no other */
  readonly generation: number | undefined;
}

export interface ChainHeight extends EndpointChain {
  readonly height: bigint;
}

/** How far an EVM chain is indexed. */
export interface EvmChainHeight extends TableValue<typeof evmChainStates> {
  /** its number in keys of tables */
  readonly chain: number;
  readonly evmChainId: bigint;
  /** its name in headers: its EVM chain ID */
  readonly alias: string;
}

/** What all requests on one state share. */
interface Version {
  /**
   * Changes with every block, vertex and shared-memory operation that ingest commits, and with what token services write; undefined if
   * unknown, which matches no other
   */
  readonly name: string | undefined;
  readonly chains: readonly ChainHeight[];
  readonly evmChains: readonly EvmChainHeight[];
  readonly heights: HeightHeaders;
  readonly cache: AnswerCache;
}

interface AssetChainList {
  readonly platformHeight: bigint | undefined;
  readonly generation: number;
  readonly chains: readonly EndpointChain[];
}

const NO_STATE: Version = { name: undefined, chains: [], evmChains: [], heights: [], cache: new AnswerCache(new CacheSpace(0)) };

export class CommittedStates {
  readonly #store: Store;
  readonly #network: NetworkInstance;
  readonly #kept: CacheSpace;
  readonly #generation: () => number;
  #shared: SharedSnapshot | undefined;
  #newest = NO_STATE;
  /** asset chains; reread when the P-chain advances, because P-chain blocks create them, or when the state was rolled back */
  #assetChains: AssetChainList = { platformHeight: undefined, generation: 0, chains: [] };

  constructor(store: Store, network: NetworkInstance, options: { kept: CacheSpace; generation?: () => number }) {
    this.#store = store;
    this.#network = network;
    this.#kept = options.kept;
    this.#generation = options.generation ?? (() => 0);
  }

  /** Runs `read` against the newest committed state. */
  async use<T>(read: (state: CommittedState) => T | Promise<T>): Promise<T> {
    const snapshot = this.#snapshot();
    snapshot.enter();
    try {
      return await read(snapshot.known ?? (await snapshot.state));
    } finally {
      snapshot.leave();
    }
  }

  /**
   * The newest committed state, without pinning it: each read through its reader sees the then newest state. For requests that wait for new
   * states; any number of them may wait.
   */
  newest(): Promise<CommittedState> {
    return this.#describe(this.#store, this.#generation());
  }

  /** The state that `use` would read now; undefined if it has yet to be loaded. */
  inUse(): CommittedState | undefined {
    return this.#shared?.known;
  }

  /** What is kept with the newest state that a request has read, which may not be the newest any more. */
  get lastCache(): AnswerCache {
    return this.#newest.cache;
  }

  /** Loads what `inUse` returns. Never rejects. */
  load(): Promise<void> {
    return this.use(() => {}).catch(() => {});
  }

  /** As of the last request that read anything. */
  newestHeights(): HeightHeaders {
    return this.#newest.heights;
  }

  newestChains(): readonly ChainHeight[] {
    return this.#newest.chains;
  }

  newestEvmChains(): readonly EvmChainHeight[] {
    return this.#newest.evmChains;
  }

  #snapshot(): SharedSnapshot {
    if (this.#shared === undefined) {
      const generation = this.#generation();
      const snapshot = new SharedSnapshot(this.#store, (reader) => this.#describe(reader, generation));
      this.#shared = snapshot;
      setImmediate(() => {
        this.#shared = undefined;
        snapshot.leave();
      });
    }
    return this.#shared;
  }

  /** @param generation before the reader was opened: if it has increased since, it is unknown which one the reader sees */
  async #describe(reader: StoreReader, generation: number): Promise<CommittedState> {
    const [progress, evmStates] = await Promise.all([
      reader.get(ingestProgress, { slot: 0 }),
      reader.scan(evmChainStates, { limit: MAX_EVM_CHAINS }),
    ]);
    const revisions = evmStates.length === 0 ? [] : await reader.scan(evmTokenRevisions, { limit: MAX_EVM_CHAINS });
    const isCertain = generation === this.#generation();
    const parts = [
      ...(progress ? [`${progress.nextSequence}/${progress.sharedMemoryOperations}`] : []),
      ...evmStates.map(({ key, value }) => `${key.chain}:${value.commits}`),
      ...revisions.map(({ key, value }) => `${key.chain}~${value.revision}`),
    ];
    const name = parts.length > 0 && isCertain ? [...parts, generation].join("/") : undefined;
    if (name === undefined || name !== this.#newest.name) {
      const version = await this.#readVersion(reader, evmStates, name, generation);
      this.#newest.cache.clear();
      this.#newest = version;
    }
    const { name: _, ...version } = this.#newest;
    return { ...version, reader, generation: isCertain ? generation : undefined };
  }

  async #readVersion(
    reader: StoreReader,
    evmStates: readonly Row<typeof evmChainStates>[],
    name: string | undefined,
    generation: number,
  ): Promise<Version> {
    const platform = await reader.get(platformChain, { slot: 0 });
    const assetChainList = await this.#readAssetChains(reader, platform?.height, generation);
    const assets = await reader.getMany(
      assetChainState,
      assetChainList.map(({ chain }) => ({ chain: chain! })),
    );
    const evm = await reader.get(evmChain, { chainId: this.#network.cChainId });
    const chains: ChainHeight[] = [];
    if (platform) chains.push({ chainId: PLATFORM_CHAIN_ID, alias: "P", height: platform.height });
    for (const [index, row] of assets.entries()) if (row) chains.push({ ...assetChainList[index]!, height: row.height });
    if (evm) chains.push({ chainId: this.#network.cChainId, alias: "C", height: evm.height });
    const evmChains = await evmHeights(reader, evmStates);
    const heights = [...chains, ...evmChains].flatMap(({ alias, height }) => [`Firn-Height-${alias}`, height.toString()]);
    return { name, chains, evmChains, heights, cache: new AnswerCache(this.#kept) };
  }

  async #readAssetChains(reader: StoreReader, platformHeight: bigint | undefined, generation: number): Promise<readonly EndpointChain[]> {
    const known = this.#assetChains;
    if (platformHeight === undefined || known.platformHeight !== platformHeight || known.generation !== generation) {
      const rows = await reader.scan(assetChains, { limit: MAX_ASSET_CHAINS });
      const chains = rows.map(({ key: { chain }, value: { chainId } }) => ({
        chainId,
        chain,
        alias: chainId === this.#network.xChainId ? "X" : formatId(chainId),
      }));
      this.#assetChains = { platformHeight, generation, chains };
    }
    return this.#assetChains.chains;
  }
}

async function evmHeights(reader: StoreReader, states: readonly Row<typeof evmChainStates>[]): Promise<EvmChainHeight[]> {
  const rows = await reader.getMany(
    evmChains,
    states.map(({ key: { chain } }) => ({ chain })),
  );
  return states.map(({ key: { chain }, value }, index) => {
    const { evmChainId } = rows[index]!;
    return { ...value, chain, evmChainId, alias: evmChainId.toString() };
  });
}

/** their numbers are u16 */
const MAX_ASSET_CHAINS = 65_536;
/** more than one process can follow */
export const MAX_EVM_CHAINS = 1024;

/** One snapshot of the store, open until its last user leaves. */
class SharedSnapshot {
  readonly state: Promise<CommittedState>;
  /** the state once it is loaded */
  known: CommittedState | undefined;
  /** the event-loop turn that opened it counts as the first user */
  #users = 1;
  #close: () => void = () => {};

  constructor(store: Store, describe: (reader: StoreReader) => Promise<CommittedState>) {
    const closed = new Promise<void>((resolve) => {
      this.#close = resolve;
    });
    this.state = new Promise((resolve, reject) => {
      store
        .snapshot(async (reader) => {
          this.known = await describe(reader);
          resolve(this.known);
          await closed;
        })
        .catch(reject);
    });
    // Users of the state get the failure; without users it does not matter
    this.state.catch(() => {});
  }

  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (--this.#users === 0) this.#close();
  }
}
