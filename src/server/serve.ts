/**
 * `firn serve`: answers requests from the store of a data directory until it is stopped. One process runs the health checks; with one
 * worker it also serves, with more they do.
 */
import { lend } from "../data/access/leased-meter.ts";
import { ledgerMeter } from "../data/access/meter.ts";
import { systemClock } from "../rpc/health/check-set.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import { NO_PEERS } from "../rpc/info/node-facts.ts";
import { CommittedStates } from "./committed-states.ts";
import { type LiveEvmChains, NO_LIVE_CHAINS } from "./evm-chains.ts";
import { EvmConnections } from "./evm-connections.ts";
import { HealthMonitor } from "./health-monitor.ts";
import { type NodeIdentity, openIdentity } from "./identity.ts";
import { NO_COUNTS } from "./metrics.ts";
import type { NodeServer } from "./node-server.ts";
import { exposition, type ProcessMetrics, processMetrics } from "./process-metrics.ts";
import type { Listening, ServingSeams } from "./serve-here.ts";
import { type CompleteServeOptions, completeOptions, type ServeOptions } from "./serve-options.ts";
import { servingLedger } from "./serving-access.ts";
import { diskUsage, openServingStore, type ServingStore, storeFileWatch } from "./serving-store.ts";
import { startWorkers } from "./workers.ts";

const NO_REPORTS: HealthReports = { health: [], readiness: [] };

/** What runs, until `stop` is called. */
export interface Serving {
  readonly url: string;
  /** Lets running requests finish, then frees everything. */
  stop(): Promise<void>;
}

/** Opens everything and resolves once requests are answered. Throws FirnErrors whose messages say what to do. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const serving = await openServingStore(options.dataDirectory);
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

/**
 * Serves a store that the caller has opened and closes.
 * @param followed chains that the calling process follows, whose connections it serves with too
 */
export async function serveStore(serving: ServingStore, given: ServeOptions, followed?: LiveEvmChains): Promise<Serving> {
  const options = completeOptions(given);
  const connections = options.workers === 1 && followed === undefined ? new EvmConnections(options.evmRpcs, options.log) : undefined;
  try {
    const served = await serveFrom(serving, options, { followed, connections });
    return {
      url: served.url,
      async stop() {
        await served.stop();
        await connections?.close();
      },
    };
  } catch (error) {
    await connections?.close();
    throw error;
  }
}

interface EvmParts {
  readonly followed: LiveEvmChains | undefined;
  readonly connections: LiveEvmChains | undefined;
}

async function serveFrom(serving: ServingStore, options: CompleteServeOptions, { followed, connections }: EvmParts): Promise<Serving> {
  const identity = openIdentity(options.dataDirectory);
  const states = new CommittedStates(serving.store, serving.network, { cacheBytes: 0 });
  const monitor = await healthMonitor(serving, identity, states, options);
  let reports: HealthReports | undefined;
  const firstPass = monitor.pass().then((first) => {
    reports ??= first;
    return first;
  });
  const metricsText = async (processes: readonly ProcessMetrics[]) => {
    // Heights as they are now; if the store is gone, as they were last
    await states.use(() => {}).catch(() => {});
    return exposition(processes, {
      chains: [...states.newestChains(), ...states.newestEvmChains()],
      reports: reports ?? NO_REPORTS,
      progress: monitor.progress,
    });
  };
  const kept = servingLedger(options);
  const listening =
    options.workers === 1
      ? await firstPass.then(() =>
          serveAlone(serving, identity, options, {
            reports: () => reports!,
            exposition: metricsText,
            meter: ledgerMeter(kept.ledger),
            evm: followed ?? connections ?? NO_LIVE_CHAINS,
          }),
        )
      : await startWorkers(options, {
          // Workers start while the checks run, and listen once they have the results
          reports: async () => reports ?? firstPass,
          exposition: (workers) => metricsText([processMetrics("checks", NO_COUNTS), ...workers]),
          lend: (request) => lend(kept.ledger, request),
          reindexNft: followed && (async (nft) => followed.find(BigInt(nft.evmChainId))?.reindexNft?.(nft.token, BigInt(nft.tokenId))),
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
      await kept.close();
    },
  };
}

async function serveAlone(
  serving: ServingStore,
  identity: NodeIdentity,
  options: CompleteServeOptions,
  {
    exposition,
    ...seams
  }: Pick<ServingSeams, "reports" | "meter" | "evm"> & { exposition(processes: readonly ProcessMetrics[]): Promise<string> },
): Promise<Listening> {
  // A process that only runs the checks needs no methods
  const { serveHere } = await import("./serve-here.ts");
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
  { dataDirectory, healthLimits }: CompleteServeOptions,
): Promise<HealthMonitor> {
  const parts = {
    store,
    network,
    identity,
    peerSource: NO_PEERS,
    sourceName: "archive",
    limits: healthLimits,
    clock: systemClock,
    diskUsage: () => diskUsage(dataDirectory),
    storeProblem: await storeFileWatch(dataDirectory),
  };
  return new HealthMonitor(parts, states);
}
