/**
 * `firn serve`: answers requests from the store of a data directory until it is stopped. One process runs the health checks; with one
 * worker it also serves, with more they do.
 */
import { lend } from "../data/access/leased-meter.ts";
import { ledgerMeter, type Meter } from "../data/access/meter.ts";
import { systemClock } from "../rpc/health/check-set.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import { NO_PEERS } from "../rpc/info/node-facts.ts";
import { CommittedStates } from "./committed-states.ts";
import { HealthMonitor } from "./health-monitor.ts";
import { type NodeIdentity, openIdentity } from "./identity.ts";
import { NO_COUNTS } from "./metrics.ts";
import type { NodeServer } from "./node-server.ts";
import { exposition, type ProcessMetrics, processMetrics } from "./process-metrics.ts";
import type { Listening } from "./serve-here.ts";
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
    return await serveFrom(serving, completeOptions(options));
  } catch (error) {
    await serving.store.close();
    throw error;
  }
}

async function serveFrom(serving: ServingStore, options: CompleteServeOptions): Promise<Serving> {
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
    return exposition(processes, { chains: states.newestChains(), reports: reports ?? NO_REPORTS, progress: monitor.progress });
  };
  const kept = servingLedger(options);
  const listening =
    options.workers === 1
      ? await firstPass.then(() =>
          serveAlone(serving, identity, options, { reports: () => reports!, exposition: metricsText, meter: ledgerMeter(kept.ledger) }),
        )
      : await startWorkers(options, {
          // Workers start while the checks run, and listen once they have the results
          reports: async () => reports ?? firstPass,
          exposition: (workers) => metricsText([processMetrics("checks", NO_COUNTS), ...workers]),
          lend: (request) => lend(kept.ledger, request),
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
      await serving.store.close();
    },
  };
}

async function serveAlone(
  serving: ServingStore,
  identity: NodeIdentity,
  options: CompleteServeOptions,
  { exposition, ...seams }: { reports(): HealthReports; exposition(processes: readonly ProcessMetrics[]): Promise<string>; meter: Meter },
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
