/**
 * Committed states for requests. All reads of one request, and the heights in its headers, come from one state. Requests that arrive in
 * the same turn of the event loop share it, so that a point read costs no snapshot of its own.
 */
import { assetChainState, assetChains } from "../asset/tables.ts";
import { evmChain } from "../atomic/tables.ts";
import { evmChainStates, evmChains } from "../index/evm/tables.ts";
import { evmTokenRevisions } from "../index/evm/token-tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import { platformChain } from "../platform/tables.ts";
import { formatId } from "../primitives/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import type { Row, TableValue } from "../primitives/table.ts";
import type { EndpointChain } from "../rpc/method.ts";
import type { Store, StoreReader } from "../store/store.ts";
import { ingestProgress } from "../store/tables.ts";
import { AnswerCache } from "./answer-cache.ts";

/** Header names and values in turn: `Firn-Height-P: 225`. A chain that the store does not hold yet has none. */
export type HeightHeaders = readonly string[];

export interface CommittedState {
  readonly reader: StoreReader;
  /** chains that the store holds: P, X, other asset chains, C */
  readonly chains: readonly ChainHeight[];
  /** EVM chains of which at least one block is indexed, in order of their numbers; a devnet's C-chain is among both */
  readonly evmChains: readonly EvmChainHeight[];
  readonly heights: HeightHeaders;
  readonly cache: AnswerCache;
  /** what a process keeps over several states, it may use among those of one generation; undefined: not known, of no other */
  readonly generation: number | undefined;
}

export interface ChainHeight extends EndpointChain {
  readonly height: bigint;
}

/** How far an EVM chain is indexed. */
export interface EvmChainHeight extends TableValue<typeof evmChainStates> {
  /** in keys of tables */
  readonly chain: number;
  readonly evmChainId: bigint;
  /** names it in headers: its EVM chain ID */
  readonly alias: string;
}

/** What all requests against one state share. */
interface Version {
  /**
   * Moves with every block, vertex and shared-memory operation that ingest commits, and with what token services write; undefined: not known,
   * never the same
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

const NO_STATE: Version = { name: undefined, chains: [], evmChains: [], heights: [], cache: new AnswerCache(0) };

export class CommittedStates {
  readonly #store: Store;
  readonly #network: NetworkInstance;
  readonly #cacheBytes: number;
  readonly #generation: () => number;
  #shared: SharedSnapshot | undefined;
  #newest = NO_STATE;
  /** asset chains, read anew when the P-chain moves, since a P block creates them, or when the state went back */
  #assetChains: AssetChainList = { platformHeight: undefined, generation: 0, chains: [] };

  constructor(store: Store, network: NetworkInstance, options: { cacheBytes: number; generation?: () => number }) {
    this.#store = store;
    this.#network = network;
    this.#cacheBytes = options.cacheBytes;
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
   * The newest committed state without holding on to it: each read through its reader is of the newest one by then. For requests that
   * wait for new states, of which any number may wait at once.
   */
  newest(): Promise<CommittedState> {
    return this.#describe(this.#store, this.#generation());
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

  /** @param generation before the reader was opened: if it has risen since, nobody knows which of the two the reader sees */
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
    if (name === undefined || name !== this.#newest.name) this.#newest = await this.#readVersion(reader, evmStates, name, generation);
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
    return { name, chains, evmChains, heights, cache: new AnswerCache(this.#cacheBytes) };
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

/** u16 numbers them */
const MAX_ASSET_CHAINS = 65_536;
/** more than one process can follow */
export const MAX_EVM_CHAINS = 1024;

/** One snapshot of the store, open until its last user has left. */
class SharedSnapshot {
  readonly state: Promise<CommittedState>;
  /** the same once it is there */
  known: CommittedState | undefined;
  /** the turn of the event loop that opened it is the first user */
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
    // A user of the state hears of the failure; without one it is of no interest
    this.state.catch(() => {});
  }

  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (--this.#users === 0) this.#close();
  }
}
