/**
 * Peers of a running network as a source: no node of one's own is needed. The bootstrappers are believed once, by majority; then the validators
 * by stake, which the executed P-chain names. Every block is executed, so that nobody's word makes an invalid one valid.
 */
import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { EMPTY_ID, type Id, type NodeId, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { checkpointsOf } from "../../network/checkpoints.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Voters } from "../../p2p/accepted-frontier.ts";
import type { PeerNetwork } from "../../p2p/peer-network.ts";
import { type Feed, type LiveItem, mergeFeeds } from "../nodes/merge-feeds.ts";
import { lastBlockOf } from "../nodes/node-source.ts";
import type { LiveSource, Progress, ReadOptions, SourceStatus, UpstreamStatus } from "../source.ts";
import { connectedValidators } from "./connected-validators.ts";
import { PeerChain } from "./peer-chain.ts";
import { BusyPeers } from "./peer-turns.ts";
import { PeerVertices } from "./peer-vertices.ts";

/** What is executed so far, which the source does not know. */
export interface ExecutedState {
  /** The validators of the primary network and their stake in nAVAX, at the last executed P-chain block. The same map as long as that is the same. */
  validators(): Promise<{ readonly height: bigint; readonly voters: Voters }>;
  /** ID of the container of a block; undefined: it is not known */
  containerAt(chainId: Id, height: bigint): Promise<Id | undefined>;
}

export interface PeerSourceOptions {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  /** They are closed with the source. */
  readonly peers: PeerNetwork;
  readonly bootstrappers: readonly NodeId[];
  readonly executed: ExecutedState;
  /** folder of what is fetched and not executed yet */
  readonly directory: string;
  readonly log: Logger;
  /** IDs of containers of a chain ("P", "X", "C") that are trusted to be accepted; default: those of public networks */
  readonly checkpoints?: (chain: string) => readonly Id[];
  /** of compressed blocks of a chain that wait on disk, beyond which only those are fetched that are executed next */
  readonly mostFetchedBytes?: number;
  /** milliseconds between two looks at the tip of a chain */
  readonly lookEveryMs?: number;
  /** blocks of a chain beyond which they are kept on disk until they are executed; default 2,000 */
  readonly mostHeld?: bigint;
  /** milliseconds until a peer that failed is asked again, doubled each time */
  readonly firstRestMs?: number;
}

const NOBODY: Voters = new Map();
/** The name under which `firn status` and metrics show them. */
export const PEERS_NAME = "peers";

export class PeerSource implements LiveSource {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly otherChains = [];
  readonly hasVertices: boolean;
  readonly fractionRead = undefined;
  readonly #options: PeerSourceOptions;
  readonly #chains: readonly PeerChain[];
  readonly #vertices: PeerVertices | undefined;
  readonly #closed = new AbortController();
  /** the last reading of blocks, until all that it began has ended */
  #reading: Promise<void> = Promise.resolve();
  #wanted = NOBODY;
  /** Unix seconds */
  #seenAt = 0n;

  constructor(options: PeerSourceOptions) {
    const { network, networkFile, peers, bootstrappers, executed, directory, log, lookEveryMs, firstRestMs, mostHeld } = options;
    const { checkpoints = (chain) => checkpointsOf(network.networkId, chain) } = options;
    const { mostFetchedBytes = DEFAULT_LIMITS.fetchedBlocksBytes } = options;
    this.network = network;
    this.networkFile = networkFile;
    this.hasVertices = network.upgrades.cortinaXChainStopVertexId !== EMPTY_ID;
    this.#options = options;
    const busy = new BusyPeers();
    if (this.hasVertices) this.#vertices = new PeerVertices({ network, peers, directory, log, busy, firstRestMs });
    const common = {
      busy,
      firstRestMs,
      mostHeld,
      mostFetchedBytes,
      network,
      networkFile,
      peers,
      bootstrappers: new Map(bootstrappers.map((nodeId) => [nodeId, 1n])),
      voters: () => this.#voters(),
      directory,
      log,
      lookEveryMs,
    };
    const names: [string, Id][] = [
      ["P", PLATFORM_CHAIN_ID],
      ["X", network.xChainId],
      ["C", network.cChainId],
    ];
    this.#chains = names.map(([name, chainId]) => {
      return new PeerChain({
        ...common,
        name,
        chainId,
        checkpoints: checkpoints(name),
        containerAt: (height) => executed.containerAt(chainId, height),
      });
    });
  }

  /** Every node has them. */
  requireVertices(): Promise<void> {
    return Promise.resolve();
  }

  async *items(from: Progress, { signal, isHeld = () => false }: ReadOptions = {}): AsyncGenerator<readonly LiveItem[]> {
    const ending = new AbortController();
    const signals = [ending.signal, this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    const ended = AbortSignal.any(signals);
    // each walk of each chain waits for it
    setMaxListeners(0, ended);
    let end = () => {};
    const before = this.#reading;
    this.#reading = new Promise((resolve) => {
      end = resolve;
    });
    let feeds: readonly Feed[] = [];
    try {
      await before;
      await this.#prepareVertices(from, ended);
      feeds = this.#chains.map((chain) => ({
        chainId: chain.chainId,
        items: this.#itemsOf(chain, from, ended),
        isComing: () => chain.isGiving || (chain.chainId === this.network.xChainId && this.#vertices?.isComing === true),
      }));
      yield* mergeFeeds(feeds, { signal: ended, isHeld });
    } catch (error) {
      if (!ended.aborted) throw error;
    } finally {
      ending.abort();
      // each chain's fetching and its folder are in one hand at a time
      await Promise.allSettled(feeds.map(({ items }) => items.return(undefined)));
      end();
    }
  }

  /** Before anything of any chain is executed: others import from the X-chain. */
  async #prepareVertices({ heights, vertices }: Progress, signal: AbortSignal): Promise<void> {
    const { xChainId } = this.network;
    if (heights.get(xChainId) === undefined) await this.#vertices?.prepare(vertices.get(xChainId) ?? 0n, signal);
    else await this.#vertices?.clear();
  }

  async *#itemsOf(chain: PeerChain, from: Progress, signal: AbortSignal): AsyncGenerator<readonly LiveItem[]> {
    const { xChainId } = this.network;
    if (chain.chainId === xChainId && this.#vertices?.isComing) yield* this.#vertices.items(from.vertices.get(xChainId) ?? 0n, signal);
    if (!signal.aborted) yield* chain.blocks(lastBlockOf(chain.chainId, from, this.network), signal);
  }

  /** Nobody, until the P-chain is executed up to what the bootstrappers accept: validators of the past may be anybody by now. */
  async #voters(): Promise<Voters> {
    const { height, voters } = await this.#options.executed.validators();
    const head = this.#chains[0]!.head?.height;
    // P's own validators lag behind its head by what is being executed
    if (head === undefined || (height < head && this.#wanted === NOBODY)) return NOBODY;
    if (voters !== this.#wanted) this.#options.peers.want(new Set(voters.keys()));
    this.#wanted = voters;
    return voters;
  }

  status(): SourceStatus {
    const { peers } = this.#options;
    const connected = peers.peers;
    const tips = new Map(this.#chains.flatMap(({ chainId, head }) => (head === undefined ? [] : [[chainId, head] as const])));
    const problem = this.#vertices?.problem ?? this.#chains.map((chain) => chain.problem).find((sentence) => sentence !== undefined);
    const heights = Object.fromEntries(this.#chains.flatMap(({ name, head }) => (head === undefined ? [] : [[name, `${head.height}`]])));
    const { received, sent } = peers.traffic;
    const validators = connectedValidators(this.#wanted, connected);
    const state: UpstreamStatus = {
      name: PEERS_NAME,
      state: connected.length > 0 ? "used" : "resting",
      reason: connected.length > 0 ? undefined : "no peer is connected; firn peers says why",
      heights,
      failures: 0,
      errors: Object.fromEntries(peers.faults),
      peers: {
        connected: connected.length,
        bytesReceived: received,
        bytesSent: sent,
        ...peers.activity,
        ...(validators !== undefined && { validators }),
      },
    };
    const prefetched = new Map(this.#chains.map(({ chainId, fetched }) => [chainId, fetched]));
    if (connected.length > 0) this.#seenAt = BigInt(Math.floor(Date.now() / 1000));
    const seenAt = this.#seenAt;
    return { seenAt, tips, problem, upstreams: [state], prefetched };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    // what waits for an answer ends with them
    await this.#options.peers.close();
    await this.#reading;
    await this.#vertices?.close();
  }
}
