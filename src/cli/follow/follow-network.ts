/** The primary network of `firn follow`: which one it is, its store, and what ingests it. */
import { join } from "node:path";
import type { Logger } from "pino";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { blocks } from "../../index/tables.ts";
import { type FollowedNetwork, followedNetwork, networkOfPeers } from "../../ingest/following/followed-network.ts";
import { followPrimary } from "../../ingest/following/primary-network.ts";
import { adoptParameters } from "../../ingest/following/stored-parameters.ts";
import { writeGenesis } from "../../ingest/ingest-source.ts";
import { DEFAULT_BATCH } from "../../ingest/ingester.ts";
import type { ChainsState } from "../../ingest/steps.ts";
import { storeNetwork } from "../../ingest/store-network.ts";
import { isStandalone } from "../../network/standalone.ts";
import type { PeerNode } from "../../serve/peers/peer-node.ts";
import { askNodeGenesis, askNodeNetwork } from "../../sources/nodes/node-network.ts";
import { openNodeSource } from "../../sources/nodes/node-source.ts";
import { MixedSource } from "../../sources/peers/mixed-source.ts";
import type { LiveSource } from "../../sources/source.ts";
import type { SharedReader } from "../../sources/upstream/shared-answers.ts";
import type { CatchUpOptions } from "../../store/catch-up/catch-up-store.ts";
import { type BulkStore, openCatchUpStore, openStore, type StorePlace } from "../../store/open.ts";
import type { WaitingForLease } from "../../store/postgres/place.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { storeFormat } from "../../store/tables.ts";
import { type Config, ConfigError } from "../config.ts";
import { type StoreConfig, storePlace } from "../store/store-place.ts";
import type { FollowProgress } from "./follow-progress.ts";
import { openPeers, type PeersConfig, peersSettings } from "./open-peers.ts";

/** Progress is shown so often at least. */
const LOOK_EVERY_MS = 500;

type NetworkConfig = PeersConfig &
  Pick<
    Config,
    "network" | "upstream" | "genesis" | keyof StoreConfig | "maxStoreBytes" | "level" | "batchBlocks" | "readThreads" | "limits"
  >;

export interface FollowedPrimary {
  readonly store: BulkStore;
  readonly source: LiveSource;
  /** what only a part of the network knows and can do; undefined: nodes of one's own do */
  readonly live: PeerNode | undefined;
  /** host:port at which other nodes reach this one */
  readonly publicIp: string | undefined;
  /** Ingests until it is stopped. */
  run(signal: AbortSignal): Promise<void>;
}

interface Parts {
  readonly log: Logger;
  readonly progress: FollowProgress;
  readonly signal: AbortSignal;
  readonly catchUp: CatchUpOptions;
  readonly waiting?: WaitingForLease;
  /** what the C-chain's EVM is indexed from in this process, too */
  readonly sharedBlocks?: SharedReader | undefined;
}

/** Opens the store of the network that the configuration names, and connects its upstreams, or its peers. The caller closes both. */
export async function openPrimary(
  config: NetworkConfig,
  { log, progress, signal, sharedBlocks, catchUp, waiting }: Parts,
): Promise<FollowedPrimary> {
  const { upstream: urls, limits, level, batchBlocks, readThreads, maxStoreBytes } = config;
  const followed = await decideNetwork(config, { log, signal });
  const { network, networkFile } = followed;
  const settings = urls === undefined || config.withPeers ? peersSettings(config, network) : undefined;
  const store = await openCatchUpStore(
    { ...storePlace(config), network, waiting, ...(maxStoreBytes !== undefined && { maxBytes: maxStoreBytes }) },
    catchUp,
  );
  try {
    await adoptParameters(store, followed);
    const peers = settings && (await openPeers(settings, followed, config, store, log));
    const vertexDirectory = join(config.dataDir, "vertices");
    const nodes = urls && openNodeSource({ network, networkFile, upstreams: urls, vertexDirectory, limits, log, sharedBlocks });
    const source = nodes && peers ? new MixedSource({ nodes, peers: peers.source, log }) : (nodes ?? peers!.source);
    // Genesis says whether the X-chain begins with vertices: it is not written where they cannot be had
    if (!(await hasGenesis(store)))
      await source.requireVertices(signal).catch((error) => source.close().finally(() => Promise.reject(error)));
    await writeGenesis({ store, source, level });
    const heights = new Heights(source, progress, await storedHeights(store, network));
    return {
      store,
      source,
      live: peers?.node,
      publicIp: peers?.publicIp,
      async run(stopped) {
        const looking = peers && setInterval(() => heights.show(), LOOK_EVERY_MS).unref();
        const limits = { ...DEFAULT_BATCH, blocks: batchBlocks };
        const onCommit = (_: unknown, state: ChainsState) => heights.committed(state);
        const onWaiting = (sentence: string) => log.warn(sentence);
        const following = followPrimary({ store, source, level, log, limits, readThreads, onCommit, onWaiting, signal: stopped });
        await following.finally(() => clearInterval(looking));
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function hasGenesis(store: StoreReader): Promise<boolean> {
  return (await store.get(storeFormat, { slot: 0 })) !== undefined;
}

async function storedHeights(store: StoreReader, { xChainId, cChainId }: FollowedNetwork["network"]): Promise<ReadonlyMap<Id, bigint>> {
  const heights = new Map<Id, bigint>();
  for (const chainId of [PLATFORM_CHAIN_ID, xChainId, cChainId]) {
    const [last] = await store.scan(blocks, { prefix: { chainId }, reverse: true, limit: 1 });
    if (last !== undefined) heights.set(chainId, last.key.height);
  }
  return heights;
}

async function decideNetwork(config: NetworkConfig, { log, signal }: Pick<Parts, "log" | "signal">): Promise<FollowedNetwork> {
  const { network: name, genesis, upstream } = config;
  const stored = await storedNetwork(storePlace(config));
  if (name === undefined && stored !== undefined) return stored;
  if (name === undefined) {
    throw new ConfigError(
      "config",
      "--upstream needs the network to follow; name it with --network mainnet, fuji, local, or the path of a network.json",
    );
  }
  const now = BigInt(Math.floor(Date.now() / 1000));
  if (upstream === undefined) return networkOfPeers({ name, genesis, now, signal }, stored?.network.genesisBytes);
  const upstreams = () => askNodeNetwork(upstream, log, signal);
  const upstreamGenesis = () => askNodeGenesis(upstream, log, signal);
  return followedNetwork({ name, genesis, upstreams, upstreamGenesis, now, signal }, stored?.network.genesisBytes);
}

async function openIfThere(place: StorePlace): Promise<Store | undefined> {
  try {
    return await openStore({ ...place, mode: "read" });
  } catch (error) {
    if (error instanceof FirnError && error.code === "store-missing") return undefined;
    throw error;
  }
}

/** undefined: there is no store yet, or it holds nothing */
async function storedNetwork(place: StorePlace): Promise<FollowedNetwork | undefined> {
  const store = await openIfThere(place);
  if (store === undefined) return undefined;
  try {
    const stored = await storeNetwork(store, place.directory).catch((error) => {
      if (error.code === "store-empty") return undefined;
      throw error;
    });
    return stored === undefined || isStandalone(stored.network) ? undefined : stored;
  } finally {
    await store.close();
  }
}

/** Tells the progress of each chain, of which a commit says only heights; while blocks of peers are fetched, there may be none for long. */
class Heights {
  readonly #source: LiveSource;
  readonly #progress: FollowProgress;
  readonly #shown = new Map<Id, bigint>();
  #heights: ReadonlyMap<Id, bigint>;

  /** @param heights of the chains that the store has, at the start */
  constructor(source: LiveSource, progress: FollowProgress, heights: ReadonlyMap<Id, bigint>) {
    this.#source = source;
    this.#progress = progress;
    this.#heights = heights;
  }

  committed({ progress: { heights } }: ChainsState): void {
    this.#heights = new Map(heights);
    this.show();
  }

  show(): void {
    const { tips, prefetched, upstreams } = this.#source.status();
    const peers = upstreams.find((upstream) => upstream.peers !== undefined)?.peers;
    if (peers !== undefined) this.#progress.peers(peers.connected);
    const { network } = this.#source;
    const names: [string, Id][] = [
      ["P", PLATFORM_CHAIN_ID],
      ["X", network.xChainId],
      ["C", network.cChainId],
    ];
    for (const [name, chainId] of names) {
      const height = this.#heights.get(chainId) ?? 0n;
      const added = Number(height - (this.#shown.get(chainId) ?? height));
      this.#shown.set(chainId, height);
      const fetched = peers === undefined ? undefined : (prefetched.get(chainId) ?? 0) || undefined;
      this.#progress.advanced(name, name, { height, head: tips.get(chainId)?.height ?? height, blocks: added, fetched });
    }
  }
}
