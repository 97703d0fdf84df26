/**
 * `firn serve`: answers requests from the store of a data directory until it is stopped. One process runs the health checks. With one
 * worker the same process serves; with more, the workers do.
 */

import { lend } from "../api/access/leased-meter.ts";
import { ledgerMeter } from "../api/access/meter.ts";
import { UpstreamNodes } from "../api/live-node/upstream-nodes.ts";
import { CommittedStates } from "../api/state/committed-states.ts";
import { systemClock } from "../api/state/health-checks.ts";
import type { HealthReports } from "../api/state/health-report.ts";
import { type NodeIdentity, openIdentity } from "../api/state/identity.ts";
import { KeptAnswers } from "../api/state/kept-answers.ts";
import { NO_PEERS } from "../api/state/node-facts.ts";
import { sourceState } from "../index/tables.ts";
import { catchingUpSentence } from "../store/open.ts";
import { isReplicated } from "../store/store.ts";
import type { WebhookService } from "../webhooks/webhook-service.ts";
import { EvmChainsOfStore, type LiveEvmChains, NO_LIVE_CHAINS } from "./evm/evm-chains.ts";
import { EvmConnections } from "./evm/evm-connections.ts";
import { collectGarbageEarly } from "./garbage.ts";
import { HealthMonitor } from "./health/health-monitor.ts";
import { NO_COUNTS } from "./metrics/metrics.ts";
import { exposition, MOST_KEYS, type ProcessMetrics, processMetrics } from "./metrics/process-metrics.ts";
import { NO_SOURCES, readSourceFacts } from "./metrics/source-metrics.ts";
import type { NodeServer } from "./node-server.ts";
import type { PeerNode } from "./peers/peer-node.ts";
import type { Listening, ServingSeams } from "./serve-here.ts";
import { type CompleteServeOptions, completeOptions, type ServeOptions } from "./serve-options.ts";
import { servingLedger } from "./serving-access.ts";
import { diskUsage, openServingStore, type ServingStore, storeDisk, storeWatch } from "./serving-store.ts";
import { startWorkers } from "./workers/workers.ts";

const NO_REPORTS: HealthReports = { health: [], readiness: [] };

/** A running server. */
export interface Serving {
  readonly url: string;
  /** Lets running requests finish, then releases everything. */
  stop(): Promise<void>;
}

/** Opens everything and resolves once requests are answered. Throws FirnErrors whose messages say what to do. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const serving = await openServingStore(options);
  const catchingUp = options.store === undefined ? catchingUpSentence(options.dataDirectory) : undefined;
  if (catchingUp !== undefined) options.log.warn(catchingUp);
  try {
    const served = await serveStore(serving, options);
    return {
      url: served.url,
      async stop() {
        await served.stop();
        await serving.store.close();
      },
    };
  } catch (error) {
    await serving.store.close();
    throw error;
  }
}

/** What the calling process follows: its connections are used for serving, too. */
interface Following {
  readonly chains: LiveEvmChains;
  /** the network's peers; undefined: its nodes are asked, if there are any */
  readonly live?: PeerNode | undefined;
}

/** Serves a store that the caller opens and closes. */
export async function serveStore(serving: ServingStore, given: ServeOptions, following?: Following): Promise<Serving> {
  const followed = following?.chains;
  const options = completeOptions(given);
  const connections = options.workers === 1 && followed === undefined ? new EvmConnections(options) : undefined;
  const nodes = options.upstreams.length === 0 ? undefined : new UpstreamNodes({ ...options, network: serving.network });
  const closeConnections = () => Promise.all([connections?.close(), nodes?.close()]);
  try {
    const served = await serveFrom(serving, options, { followed, connections, live: following?.live ?? nodes });
    return {
      url: served.url,
      async stop() {
        await served.stop();
        await closeConnections();
      },
    };
  } catch (error) {
    await closeConnections();
    throw error;
  }
}

interface ConnectedParts {
  readonly followed: LiveEvmChains | undefined;
  readonly connections: LiveEvmChains | undefined;
  readonly live: UpstreamNodes | PeerNode | undefined;
}

async function serveFrom(
  serving: ServingStore,
  options: CompleteServeOptions,
  { followed, connections, live }: ConnectedParts,
): Promise<Serving> {
  const identity = openIdentity(options.dataDirectory);
  const states = new CommittedStates(serving.store, serving.network, { ...serving, kept: new KeptAnswers(0) });
  const monitor = await healthMonitor(serving, identity, states, options, followed !== undefined);
  let reports: HealthReports | undefined;
  const firstPass = monitor.pass().then((first) => {
    reports ??= first;
    return first;
  });
  // while the checks wait for the disk
  if (options.workers === 1) void loadMethods();
  const kept = servingLedger(options);
  const webhooks = followed && (await followingWebhooks(serving, options, followed));
  const metricsText = async (processes: readonly ProcessMetrics[]) => {
    // The current heights, or the last known ones if the store is gone
    const sources = await Promise.resolve(states.use(readSourceFacts)).catch(() => NO_SOURCES);
    return exposition(processes, {
      chains: [...states.newestChains(), ...states.newestEvmChains()],
      reports: reports ?? NO_REPORTS,
      progress: monitor.progress,
      sources,
      issued: live?.issued,
      keys: kept.ledger.keysOfToday(MOST_KEYS),
      webhooks: webhooks?.registry.counts(),
      ...(isReplicated(serving.store) && { places: serving.store.places() }),
      disk: await storeDisk(options.dataDirectory, serving.store).catch(() => undefined),
    });
  };
  /** Nothing that goes on by itself is left where nothing is served. */
  const stopKept = async () => {
    await webhooks?.stop();
    await kept.close();
  };
  const listening = await (options.workers === 1
    ? firstPass.then(() =>
        serveAlone(serving, identity, options, {
          reports: () => reports!,
          exposition: metricsText,
          meter: ledgerMeter(kept.ledger),
          evm: followed ?? connections ?? NO_LIVE_CHAINS,
          live,
          webhooks: webhooks?.desk,
        }),
      )
    : startWorkers(options, {
        // Workers start while the checks run, and listen once they have the results
        reports: async () => reports ?? firstPass,
        exposition: (workers) => metricsText([processMetrics("checks", NO_COUNTS), ...workers]),
        lend: (request) => lend(kept.ledger, request),
        live,
        webhooks: webhooks?.desk,
        reindexNft: followed && (async (nft) => followed.find(BigInt(nft.evmChainId))?.reindexNft?.(nft.token, BigInt(nft.tokenId))),
      })
  ).catch(async (error) => {
    await stopKept();
    throw error;
  });
  monitor.start(options.healthCheckFrequencyMs, (next) => {
    reports = next;
    listening.onReports(next);
  });
  return {
    url: listening.url,
    async stop() {
      monitor.stop();
      await listening.stop();
      await stopKept();
    },
  };
}

/** Only the process that writes the store keeps webhooks; their code is loaded where it does. */
async function followingWebhooks(
  { store, network, generation }: ServingStore,
  { settings, log }: CompleteServeOptions,
  followed: LiveEvmChains,
): Promise<WebhookService | undefined> {
  if (settings.webhookTargets === "none") return undefined;
  const { startWebhooks } = await import("../webhooks/webhook-service.ts");
  return startWebhooks({ store, network, evmChains: new EvmChainsOfStore(followed, log), settings, generation, log });
}

/** A process that only runs the checks does not need the methods. */
const loadMethods = () => import("./serve-here.ts");

async function serveAlone(
  serving: ServingStore,
  identity: NodeIdentity,
  options: CompleteServeOptions,
  {
    exposition,
    ...seams
  }: Pick<ServingSeams, "reports" | "meter" | "evm" | "live" | "webhooks"> & {
    exposition(processes: readonly ProcessMetrics[]): Promise<string>;
  },
): Promise<Listening> {
  collectGarbageEarly();
  const { serveHere } = await loadMethods();
  let node: NodeServer | undefined;
  return serveHere(options, serving, identity, {
    ...seams,
    exposition: () => exposition([processMetrics("serve", node!.metrics.counts)]),
    onServer(own) {
      node = own;
    },
  });
}

async function healthMonitor(
  { store, network }: ServingStore,
  identity: NodeIdentity,
  states: CommittedStates,
  { dataDirectory, healthLimits, upstreams }: CompleteServeOptions,
  isFollowing: boolean,
): Promise<HealthMonitor> {
  const isOfNodes = isFollowing || upstreams.length > 0;
  const parts = {
    store,
    network,
    identity,
    peerSource: NO_PEERS,
    // another process may begin to follow nodes into the store at any time
    sourceName: async () => (isOfNodes || (await store.get(sourceState, { slot: 0 })) !== undefined ? "nodes" : "archive"),
    limits: healthLimits,
    clock: systemClock,
    diskUsage: () => diskUsage(dataDirectory),
    storeProblem: await storeWatch(dataDirectory, store),
  };
  return new HealthMonitor(parts, states);
}
