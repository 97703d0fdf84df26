/**
 * Committed states for requests. All reads of a request, and the heights in its headers, come from one state. Requests that arrive in the
 * same turn of the event loop share it, so a point read does not cost a snapshot of its own.
 */

import { MAX_U64 } from "../../base/bytes/amount.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Row, TableValue } from "../../base/table/table.ts";
import { type Awaitable, andThen, atOnce, later, type Steps } from "../../base/work/awaitable.ts";
import { pause } from "../../base/work/pause.ts";
import { UNLIMITED_WORK, type Work } from "../../base/work/work.ts";
import { assetChainState, assetChains } from "../../chains/asset/tables.ts";
import { evmTips } from "../../chains/atomic/tables.ts";
import { platformChain } from "../../chains/platform/tables.ts";
import { evmChainStates, evmChains } from "../../evm/index/tables.ts";
import { evmTokenRevisions } from "../../evm/index/token-tables.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { answerIn } from "../../store/budgeted-reader.ts";
import { isReplicated, type Store, type StoreReader } from "../../store/store.ts";
import { ingestProgress } from "../../store/tables.ts";
import { type AnswerCache, KeptAnswers } from "./kept-answers.ts";

/** One snapshot of the store, open until its last user leaves. */
class SharedSnapshot {
  readonly state: Promise<CommittedState>;
  /** the state once it is loaded */
  known: CommittedState | undefined;
  /** whoever opened it counts as the first user: the turn of the event loop, if it is shared */
  #users = 1;
  #close: () => void = () => {};

  constructor(store: Store, describe: (reader: StoreReader) => Awaitable<CommittedState>) {
    const closed = new Promise<void>((resolve) => {
      this.#close = resolve;
    });
    this.state = new Promise((resolve, reject) => {
      store
        .snapshot(async (reader) => {
          const described = describe(reader);
          // a promise is waited for, and nothing else: whoever comes next finds the state
          this.known = described instanceof Promise ? await described : described;
          resolve(this.known);
          await closed;
        }, closed)
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

// Heights that an answer must have: a client that has seen block 225 of the P-chain elsewhere asks with `Firn-Min-Height-P: 225`.

/** By the chain's alias in lower case, since names of headers have no case. */
export type MinHeights = ReadonlyMap<string, bigint>;

const PREFIX = "firn-min-height-";

/** @param headers lower-case names. Undefined: any height will do */
export function minHeightsOf(headers: Readonly<Record<string, string | string[] | undefined>>): MinHeights | undefined {
  let heights: Map<string, bigint> | undefined;
  for (const name in headers) {
    if (!name.startsWith(PREFIX)) continue;
    heights ??= new Map();
    heights.set(name.slice(PREFIX.length), heightOf(name, headers[name]));
  }
  return heights;
}

function heightOf(name: string, value: string | string[] | undefined): bigint {
  const height = typeof value === "string" && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : undefined;
  if (height !== undefined && height <= MAX_U64) return height;
  throw new FirnError("min-height", `the header ${name} must be given once, with a height in decimal digits, such as 225`);
}

/** A sentence about the first height that the state has not reached; undefined: it has all. */
function unreached({ chains, evmChains }: Pick<CommittedState, "chains" | "evmChains">, least: MinHeights): string | undefined {
  const all = [...chains, ...evmChains];
  for (const [name, wanted] of least) {
    const chain = all.find(({ alias }) => alias.toLowerCase() === name);
    if (chain === undefined) return `height ${wanted} of chain ${name} was asked for; no block of such a chain is served here`;
    if (chain.height < wanted) return `height ${wanted} of chain ${chain.alias} was asked for; ${chain.height} is served at the moment`;
  }
  return undefined;
}

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

/** A state that a reader sees for as long as it is used. */
interface Described {
  readonly reader: StoreReader;
  readonly state: CommittedState;
}

const NO_STATE: Version = { name: undefined, chains: [], evmChains: [], heights: [], cache: new KeptAnswers(0).ofState() };

interface CommittedStatesOptions {
  readonly kept: KeptAnswers;
  /** by default it never changes */
  readonly generation?: (() => number) | undefined;
}

export class CommittedStates {
  readonly #store: Store;
  readonly #network: NetworkInstance;
  readonly #kept: KeptAnswers;
  readonly #generation: () => number;
  /** from how many databases states come, whose newest may differ */
  readonly #places: number;
  #shared: SharedSnapshot | undefined;
  #newest = NO_STATE;
  /** the newest of each place, the last read one at the end */
  #versions: readonly Version[] = [NO_STATE];
  /** the last of each place: a backend may give the same reader to many turns */
  #described: readonly Described[] = [];

  constructor(store: Store, network: NetworkInstance, options: CommittedStatesOptions) {
    this.#store = store;
    this.#network = network;
    this.#kept = options.kept;
    this.#generation = options.generation ?? (() => 0);
    this.#places = isReplicated(store) ? store.places().length : 1;
  }

  /**
   * Runs `read` against the newest committed state.
   * @param least heights that it must have; they are waited for, for a second at most
   * @param work of the request, whose end ends waiting for the state
   */
  use<T>(read: (state: CommittedState) => Awaitable<T>, least?: MinHeights, work: Work = UNLIMITED_WORK): Awaitable<T> {
    return least === undefined ? atOnce(this.#useSteps(read, work)) : this.#useFrom(least, read, work);
  }

  *#useSteps<T>(read: (state: CommittedState) => Awaitable<T>, work: Work): Steps<T> {
    const snapshot = this.#entered();
    try {
      const state = snapshot.known ?? (yield* later(answerIn(this.#store, snapshot.state, work)));
      return yield* later(read(state));
    } finally {
      snapshot.leave();
    }
  }

  async #useFrom<T>(least: MinHeights, read: (state: CommittedState) => T | Promise<T>, work: Work): Promise<T> {
    for (let givesUpAt = 0; ; ) {
      let missing: string | undefined;
      for (const store of [this.#store, ...(isReplicated(this.#store) ? this.#store.elsewhere() : [])]) {
        const isFirst = store === this.#store;
        const snapshot = isFirst ? this.#entered() : this.#open(store);
        try {
          const state = await answerIn(store, isFirst ? snapshot.state : stateWithoutFail(snapshot), work);
          const lacks = state && unreached(state, least);
          if (state !== undefined && lacks === undefined) return await read(state);
          missing ??= lacks;
        } finally {
          snapshot.leave();
        }
      }
      givesUpAt ||= performance.now() + LONGEST_WAIT_MS;
      if (performance.now() >= givesUpAt) throw new FirnError("height-not-reached", `${missing}; try again later`);
      await pause(LOOK_AGAIN_MS);
    }
  }

  /**
   * The newest committed state, without pinning it: each read through its reader sees the then newest state. For requests that wait for new
   * states; any number of them may wait.
   */
  newest(): Awaitable<CommittedState> {
    return this.#describe(this.#store, this.#generation());
  }

  /** Reads the newest state, for `newestHeights` and the like. Never rejects. */
  async load(): Promise<void> {
    try {
      await this.use(() => {});
    } catch {
      // the next request says why
    }
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

  #entered(): SharedSnapshot {
    const snapshot = this.#snapshot();
    snapshot.enter();
    return snapshot;
  }

  #snapshot(): SharedSnapshot {
    if (this.#shared === undefined) {
      const snapshot = this.#open(this.#store);
      this.#shared = snapshot;
      setImmediate(() => {
        this.#shared = undefined;
        snapshot.leave();
      });
    }
    return this.#shared;
  }

  #open(store: Store): SharedSnapshot {
    const generation = this.#generation();
    return new SharedSnapshot(store, (reader) => this.#describeOnce(reader, generation));
  }

  #describeOnce(reader: StoreReader, generation: number): Awaitable<CommittedState> {
    const known = this.#described.find((each) => each.reader === reader);
    if (known?.state.generation === generation) return known.state;
    return andThen(this.#describe(reader, generation), (state) => {
      this.#described = [...this.#described, { reader, state }].slice(-this.#places);
      return state;
    });
  }

  /** @param generation before the reader was opened: if it has increased since, it is unknown which one the reader sees */
  #describe(reader: StoreReader, generation: number): Awaitable<CommittedState> {
    return atOnce(this.#describeSteps(reader, generation));
  }

  *#describeSteps(reader: StoreReader, generation: number): Steps<CommittedState> {
    const [asked, askedEvm] = [reader.get(ingestProgress, { slot: 0 }), reader.scan(evmChainStates, { limit: MAX_EVM_CHAINS })];
    const [progress, evmStates] = yield* later(asked instanceof Promise ? Promise.all([asked, askedEvm]) : [asked, yield* later(askedEvm)]);
    const revisions = evmStates.length === 0 ? [] : yield* later(reader.scan(evmTokenRevisions, { limit: MAX_EVM_CHAINS }));
    const isCertain = generation === this.#generation();
    const parts = [
      ...(progress ? [`${progress.nextSequence}/${progress.sharedMemoryOperations}`] : []),
      ...evmStates.map(({ key, value }) => `${key.chain}:${value.commits}`),
      ...revisions.map(({ key, value }) => `${key.chain}~${value.revision}`),
    ];
    const name = parts.length > 0 && isCertain ? [...parts, generation].join("/") : undefined;
    const known = name === undefined ? undefined : this.#versions.find((version) => version.name === name);
    if (known === undefined) this.#keep(yield* later(this.#readVersion(reader, evmStates, name)));
    else this.#newest = known;
    const { name: _, ...version } = this.#newest;
    return { ...version, reader, generation: isCertain ? generation : undefined };
  }

  #keep(version: Version): void {
    const kept = [...this.#versions, version];
    for (const old of kept.splice(0, kept.length - this.#places)) old.cache.clear();
    this.#versions = kept;
    this.#newest = version;
  }

  async #readVersion(reader: StoreReader, evmStates: readonly Row<typeof evmChainStates>[], name: string | undefined): Promise<Version> {
    const { xChainId, cChainId } = this.#network;
    const [platform, assetChainRows, assetStates, evm, evmChains] = await Promise.all([
      reader.get(platformChain, { slot: 0 }),
      reader.scan(assetChains, { limit: MAX_ASSET_CHAINS }),
      reader.scan(assetChainState, { limit: MAX_ASSET_CHAINS }),
      reader.get(evmTips, { chainId: cChainId }),
      evmHeights(reader, evmStates),
    ]);
    const assetHeights = new Map(assetStates.map(({ key, value }) => [key.chain, value.height]));
    const chains: ChainHeight[] = [];
    if (platform) chains.push({ chainId: PLATFORM_CHAIN_ID, alias: "P", height: platform.height });
    for (const { key, value } of assetChainRows) {
      const { chainId } = value;
      const height = assetHeights.get(key.chain);
      const alias = chainId === xChainId ? "X" : formatId(chainId);
      if (height !== undefined) chains.push({ chainId, chain: key.chain, alias, height });
    }
    if (evm) chains.push({ chainId: cChainId, alias: "C", height: evm.height });
    const heights = [...chains, ...evmChains].flatMap(({ alias, height }) => [`Firn-Height-${alias}`, height.toString()]);
    return { name, chains, evmChains, heights, cache: this.#kept.ofState() };
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

/** Looks at a place besides: if it fails or is silent, there is nothing in it. */
function stateWithoutFail({ state }: SharedSnapshot): Promise<CommittedState | undefined> {
  return Promise.race([state.catch(() => undefined), pause(LONGEST_WAIT_MS).then(() => undefined)]);
}

/** for a height that a client asks for */
const LONGEST_WAIT_MS = 1000;
const LOOK_AGAIN_MS = 20;
/** their numbers are u16 */
const MAX_ASSET_CHAINS = 65_536;
/** more than one process can follow */
export const MAX_EVM_CHAINS = 1024;
