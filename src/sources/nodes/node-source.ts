/**
 * Nodes of a running network as a source: the blocks of P, X and C read ahead from whichever upstream is best, merged, and followed at the tip.
 * Any node will do; one with an Index API tells more (containers: proposers, epochs, times of acceptance).
 */

import type { Logger } from "pino";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { Limits } from "../../base/limits.ts";
import { genesisBlocks } from "../../chains/atomic/genesis-block.ts";
import { parseGenesis } from "../../chains/platform/genesis/genesis.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { LOCAL_ID, publicGenesis } from "../../network/presets.ts";
import type { LiveSource, Progress, ReadOptions, SourceStatus } from "../source.ts";
import { openUpstreamRpc, type UpstreamLimits } from "../upstream/open-upstream-rpc.ts";
import type { SharedReader } from "../upstream/shared-answers.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Upstreams } from "../upstream/upstream-rpc.ts";
import type { LastBlock } from "./agreement.ts";
import { ChainFeed } from "./chain-feed.ts";
import { type ChainReader, headReader, type Rank } from "./chain-reader.ts";
import { EvmReader } from "./evm-reader.ts";
import { HeightReader } from "./height-reader.ts";
import { IndexReader } from "./index-reader.ts";
import { type LiveItem, mergeFeeds } from "./merge-feeds.ts";
import { nodeIdentity, nodeUrl } from "./node-network.ts";
import { UpgradeWatch } from "./upgrade-watch.ts";
import { VertexFeed } from "./vertex-feed.ts";

/** For so long, what an upstream told counts for others, too: all are asked every few seconds. */
const KEPT_MS = 10_000;

/**
 * The Index API of the C-chain, which has blocks as soon as they are accepted. Since Helicon they are executed later, and only then do nodes
 * answer with what they exported. So blocks are read up to the last one that a node has executed: `eth_blockNumber`, and where an upstream has no
 * such RPC, what another one says. Where none has it, that cannot be known, and accepted blocks are read.
 */
export class ExecutedIndexReader extends IndexReader {
  readonly #rpc: Pick<ChainReader, "height">;
  /** the greatest that an upstream reported recently */
  #executed = 0n;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param rpc tells the height of the last executed block */
  constructor(rpc: Pick<ChainReader, "height">, ...index: ConstructorParameters<typeof IndexReader>) {
    super(...index);
    this.#rpc = rpc;
  }

  override async height(rank: Rank, signal: AbortSignal): Promise<bigint> {
    try {
      const executed = await this.#rpc.height(rank, signal);
      if (executed > this.#executed) this.#executed = executed;
      this.#toldAt = performance.now();
      return executed;
    } catch (error) {
      if (!(error instanceof UpstreamError && error.failure === "unsupported")) throw error;
    }
    const accepted = await super.height(rank, signal);
    const isKnown = performance.now() - this.#toldAt < KEPT_MS;
    return isKnown && this.#executed < accepted ? this.#executed : accepted;
  }
}

export interface NodeSourceOptions {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  /** base URLs, best first: `http://127.0.0.1:9650` */
  readonly upstreams: readonly string[];
  /** folder for vertices until they are executed; needed for a network whose X-chain began with them */
  readonly vertexDirectory?: string;
  readonly log: Logger;
  /** what the C-chain's EVM is indexed from in this process, too */
  readonly sharedBlocks?: SharedReader | undefined;
  /** default: the Index API where it is there from the first block on, else blocks by height */
  readonly reading?: "index" | "height";
  readonly limits?: Pick<Limits, keyof UpstreamLimits>;
  /** ends each chain at this height instead of following it: `{ P: 120n }` */
  readonly until?: ReadonlyMap<string, bigint>;
  /** Unix milliseconds; default: the system's clock */
  readonly now?: () => number;
}

export function openNodeSource(options: NodeSourceOptions): LiveSource {
  return new NodeSource(options);
}

/** An upstream that does not answer for so long does not keep a range from others. */
const FIRST_TIMEOUT_MS = 1_500;
/** Others are asked beside it even earlier. */
const LATE_MS = 600;

/** of the WebSocket of a node's C-chain */
function headsUrl(url: string): string {
  return `${nodeUrl(url).replace(/^http/, "ws")}/ext/bc/C/ws`;
}

class NodeSource implements LiveSource {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly otherChains = [];
  readonly hasVertices: boolean;
  readonly fractionRead = undefined;
  readonly #rpc: Upstreams;
  readonly #feeds: readonly ChainFeed[];
  readonly #vertices: VertexFeed | undefined;
  readonly #until: ReadonlyMap<string, bigint>;
  readonly #upgrades: UpgradeWatch;
  readonly #closed = new AbortController();
  readonly #following: Promise<unknown>;
  /** height of the last block that was taken, by chain */
  readonly #places = new Map<Id, bigint>();
  /** tell of new blocks of C */
  readonly #heads: Upstreams;

  constructor({
    network,
    networkFile,
    upstreams,
    vertexDirectory,
    log,
    reading,
    limits,
    sharedBlocks,
    until = new Map(),
    now = Date.now,
  }: NodeSourceOptions) {
    this.network = network;
    this.networkFile = networkFile;
    this.hasVertices = network.upgrades.cortinaXChainStopVertexId !== EMPTY_ID;
    this.#until = until;
    const rpc = openUpstreamRpc({
      urls: upstreams.map(nodeUrl),
      identity: nodeIdentity(network),
      log,
      maxBatch: 1,
      firstTimeoutMs: FIRST_TIMEOUT_MS,
      lateMs: LATE_MS,
      ...(limits && { limits }),
    });
    this.#rpc = rpc;
    if (this.hasVertices) {
      if (vertexDirectory === undefined)
        throw new TypeError(`the X-chain of ${network.name} began with vertices; they need vertexDirectory`);
      this.#vertices = new VertexFeed({ network, rpc, urls: upstreams, directory: vertexDirectory, log });
    }
    const feed = (name: "P" | "X" | "C", chainId: Id) => {
      const readHead = headReader(chainId, network);
      const common = { name, chainId, reading, rpc, log };
      if (name !== "C") {
        const index = new IndexReader(rpc, name, chainId, readHead);
        return new ChainFeed({ ...common, index, plain: new HeightReader({ rpc, name, chainId, readHead, now }) });
      }
      const plain = new EvmReader(rpc, network, sharedBlocks);
      const index = new ExecutedIndexReader(plain, rpc, name, chainId, readHead);
      return new ChainFeed({ ...common, index, plain, onReader: (reader) => sharedBlocks?.reads(reader === plain) });
    };
    this.#feeds = [feed("P", PLATFORM_CHAIN_ID), feed("X", network.xChainId), feed("C", network.cChainId)];
    this.#upgrades = new UpgradeWatch({ network, rpc, signal: this.#closed.signal });
    this.#following = Promise.all([...this.#feeds.map(({ tip }) => tip.run(this.#closed.signal)), this.#upgrades.ended]);
    this.#heads = openUpstreamRpc({ urls: upstreams.map(headsUrl), log });
    this.#heads.subscribeHeads(() => this.#feeds.at(-1)!.tip.poke(), this.#closed.signal);
  }

  async requireVertices(signal: AbortSignal): Promise<void> {
    await this.#vertices?.require(signal);
  }

  async *items(from: Progress, { signal, isHeld = () => false }: ReadOptions = {}): AsyncGenerator<readonly LiveItem[]> {
    const ending = new AbortController();
    const signals = [ending.signal, this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    const ended = AbortSignal.any(signals);
    const places = this.#places;
    try {
      await this.#prepareVertices(from, ended);
      await this.#upgrades.asked;
      const feeds = this.#feeds.map((feed) => {
        const { chainId } = feed;
        places.set(chainId, from.heights.get(chainId) ?? 0n);
        const isComing = () => (chainId === this.network.xChainId && this.#vertices?.isComing) || feed.isBehind(places.get(chainId)!);
        return { chainId, items: this.#itemsOf(feed, from, ended), isComing };
      });
      for await (const run of mergeFeeds(feeds, { signal: ended, isHeld })) {
        const executable = this.#upgrades.executable(run);
        for (const item of executable) if (item.kind === "block") places.set(item.chainId, item.height);
        yield executable;
        if (executable.length < run.length) this.#upgrades.executable(run.slice(executable.length));
      }
    } catch (error) {
      if (!ended.aborted) throw error;
    } finally {
      ending.abort();
    }
  }

  /** Before anything of any chain is executed: a network that cannot be followed is not begun, and others import from the X-chain. */
  async #prepareVertices({ heights, vertices }: Progress, signal: AbortSignal): Promise<void> {
    const { xChainId } = this.network;
    if (heights.get(xChainId) === undefined) await this.#vertices?.prepare(vertices.get(xChainId) ?? 0n, signal);
    else await this.#vertices?.clear();
  }

  async *#itemsOf(feed: ChainFeed, from: Progress, signal: AbortSignal): AsyncGenerator<readonly LiveItem[]> {
    const { chainId } = feed;
    if (chainId === this.network.xChainId && this.#vertices?.isComing)
      yield* this.#vertices.items(from.vertices.get(chainId) ?? 0n, signal);
    yield* feed.blocks(lastBlockOf(chainId, from, this.network), signal, this.#until.get(feed.name));
  }

  status(): SourceStatus {
    const seenAt = Math.max(...this.#feeds.map(({ tip }) => tip.seenAt));
    const tips = this.#feeds.flatMap(({ chainId, tip: { height, acceptedAt } }) =>
      height === undefined ? [] : [[chainId, { height, acceptedAt }] as const],
    );
    const upstreams = this.#rpc.states().map((state, upstream) => {
      const heights = this.#feeds.flatMap(({ name, tip }) => {
        const height = tip.heightOf(upstream);
        return height === undefined ? [] : [[name, `${height}`]];
      });
      return { ...state, heights: Object.fromEntries(heights) };
    });
    const problem = this.#vertices?.problem ?? this.#feeds.find((feed) => feed.problem !== undefined)?.problem;
    const prefetched = new Map(this.#feeds.map((feed) => [feed.chainId, feed.prefetched(this.#places.get(feed.chainId) ?? 0n)]));
    return { seenAt: BigInt(Math.floor(seenAt / 1000)), tips: new Map(tips), problem, upstreams, prefetched };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#rpc.close(), this.#heads.close()]);
    await this.#following.catch(() => {});
  }
}

/** The block after which a chain goes on. */
export function lastBlockOf(chainId: Id, { heights, lastAccepted }: Progress, network: NetworkInstance): LastBlock {
  const id = lastAccepted?.get(chainId);
  const height = heights.get(chainId) ?? 0n;
  const ids = chainId === network.cChainId && height === 0n ? cChainGenesisIds(network) : undefined;
  return { height, id: id === EMPTY_ID ? undefined : id, ...(ids && { ids }) };
}

// Block 0 of the C-chain, which no node's index has: the parent of block 1.

/**
 * The IDs that it may have: of nodes and of devnets, whose EVMs differ. undefined for a network of one's own, whose genesis may have settings of
 * the EVM that are not known here.
 */
export function cChainGenesisIds(network: NetworkInstance): ReadonlySet<Id> | undefined {
  if (network.networkId !== LOCAL_ID && publicGenesis(network.networkId) === undefined) return undefined;
  const chain = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.cChainId);
  if (chain === undefined) return undefined;
  const making = genesisBlocks(chain.unsigned.genesisData, network);
  let made = making.next();
  while (made.done !== true) made = making.next();
  return made.value.length === 0 ? undefined : new Set(made.value.map(({ id }) => id));
}
