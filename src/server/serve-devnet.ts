/**
 * Serves a devnet from the process that makes its blocks: both interfaces, the C-chain's own RPC, and `/ext/firn`. Answers come from what
 * is committed, as everywhere; only issued transactions and what `firn.*` does go to the devnet.
 */
import type { Logger } from "pino";
import { ledgerMeter } from "../data/access/meter.ts";
import { openTokenSecret } from "../data/token-secret.ts";
import { devnetAccounts } from "../devnet/accounts.ts";
import type { Devnet } from "../devnet/devnet.ts";
import type { EvmNode } from "../evm-node/evm-node.ts";
import type { Development } from "../rpc/firn/development.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import { NO_PEERS, type Uptimes } from "../rpc/info/node-facts.ts";
import { CommittedStates } from "./committed-states.ts";
import { devnetIdentity } from "./devnet-identity.ts";
import { EvmGateway } from "./evm/gateway.ts";
import { EvmWebSockets } from "./evm/web-sockets.ts";
import { HealthMonitor } from "./health-monitor.ts";
import type { NodeIdentity } from "./identity.ts";
import { close, listen } from "./listen.ts";
import { createNodeServer, type NodeServer } from "./node-server.ts";
import { exposition, processMetrics } from "./process-metrics.ts";
import type { Serving } from "./serve.ts";
import { serverUrl, WARM_UP_DELAY_MS } from "./serve-here.ts";
import { type CompleteServeOptions, completeOptions, type ServeOptions } from "./serve-options.ts";
import { servingAccess, servingLedger } from "./serving-access.ts";
import { diskUsage } from "./serving-store.ts";
import type { Accept } from "./upgrade.ts";

/** Those of `firn serve`, but for the clock and the processes, which are the devnet's; all but the directory have defaults. */
export interface ServeDevnetOptions extends Partial<Omit<ServeOptions, "workers" | "time" | "dataDirectory" | "log">> {
  /** holds keys of the Data API, and the secret of its page tokens */
  readonly dataDirectory: string;
  readonly log: Logger;
  /** by default the first validator of genesis */
  readonly identity?: NodeIdentity;
}

/** Resolves once requests are answered. `stop` leaves the devnet running. */
export async function serveDevnet(devnet: Devnet, options: ServeDevnetOptions): Promise<Serving> {
  const { identity = devnetIdentity(devnet.network), ...given } = options;
  const complete = completeOptions({ ...DEFAULTS, ...given, workers: 1 });
  const kept = servingLedger(complete);
  let reports: HealthReports = { health: [], readiness: [] };
  let node: NodeServer | undefined;
  const states = new CommittedStates(devnet.store, devnet.network, { cacheBytes: 0, generation: () => devnet.generation });
  const monitor = healthMonitor(devnet, identity, states, complete);
  const onDefect = (error: unknown, where: string) => complete.log.error({ err: error, where }, "Could not answer a request");
  const evm = devnet.evm && evmAccess(devnet, devnet.evm, onDefect);
  node = createNodeServer({
    store: devnet.store,
    network: devnet.network,
    identity,
    facts: { peerSource: NO_PEERS, publicIp: complete.publicIp, uptimes: uptimesOf(devnet) },
    allowedHosts: complete.allowedHosts,
    allowedOrigins: complete.allowedOrigins,
    isPublic: complete.isPublic,
    clock: () => devnet.clock.seconds(),
    generation: () => devnet.generation,
    cacheBytes: complete.cacheBytes,
    access: servingAccess(complete, ledgerMeter(kept.ledger)),
    trustedProxies: complete.access.trustedProxies,
    tokenSecret: openTokenSecret(complete.dataDirectory),
    settings: complete.settings,
    maxStalenessSeconds: complete.maxStalenessSeconds,
    reports: () => reports,
    exposition: async () => {
      await states.use(() => {}).catch(() => {});
      const facts = { chains: states.newestChains(), reports, progress: monitor.progress };
      return exposition([processMetrics("devnet", node!.metrics.counts)], facts);
    },
    issueContext: () => devnet,
    development: developmentOf(devnet),
    ...(evm && { evm }),
    onDefect,
  });
  reports = await monitor.pass();
  await node.readHeights();
  const { port } = await listen(node.server, complete.httpHost, complete.httpPort);
  setTimeout(() => node.warmUp().catch(() => {}), WARM_UP_DELAY_MS).unref();
  monitor.start(complete.healthCheckFrequencyMs, (next) => {
    reports = next;
  });
  return {
    url: serverUrl(complete.httpHost, port),
    async stop() {
      monitor.stop();
      await Promise.all([close(node.server), evm?.close()]);
      await kept.close();
    },
  };
}

const DEFAULTS = {
  httpHost: "127.0.0.1",
  httpPort: 9650,
  allowedHosts: ["localhost"],
  isPublic: false,
  healthCheckFrequencyMs: 30_000,
} as const;

function evmAccess({ network, clock }: Devnet, evm: EvmNode, onDefect: (error: unknown, where: string) => void) {
  const gateway = new EvmGateway({ network, evm, clock: () => clock.seconds(), onDefect });
  const webSockets = new EvmWebSockets(gateway, evm);
  return {
    answer: (body: string) => gateway.answer(body),
    accept: (...upgrade: Parameters<Accept>) => webSockets.accept(...upgrade),
    close: () => webSockets.close(),
  };
}

function developmentOf(devnet: Devnet): Development {
  return {
    keys: devnetAccounts(devnet.network),
    now: () => devnet.clock.seconds(),
    advanceTime: (seconds) => devnet.advanceTime(seconds),
    setTime: (to) => devnet.setTime(to),
    uptime: (subnetId, nodeId) => devnet.uptime(subnetId, nodeId),
    setUptime: (nodeId, millionths, subnetId) => devnet.setUptime(nodeId, millionths, subnetId),
    mine: () => devnet.mine(),
    fund: (address, amount) => devnet.fund(address, amount),
    snapshot: () => devnet.snapshot(),
    revert: (snapshotId) => devnet.revert(snapshotId),
    snapshots: () => devnet.snapshots(),
    evmProblem: () => evmProblem(devnet),
  };
}

let devnetsServed = 0;

function uptimesOf(devnet: Devnet): Uptimes {
  const name = devnetsServed++;
  return {
    uptime: (subnetId, nodeId) => devnet.uptime(subnetId, nodeId),
    get version() {
      return `${name}/${devnet.generation}`;
    },
  };
}

function evmProblem({ evm }: Devnet): string | undefined {
  if (evm === undefined) return "this network runs without an EVM";
  const { isUp, problem } = evm.health();
  return isUp ? undefined : (problem ?? "the EVM does not answer");
}

function healthMonitor(
  devnet: Devnet,
  identity: NodeIdentity,
  states: CommittedStates,
  { dataDirectory, healthLimits }: CompleteServeOptions,
): HealthMonitor {
  const parts = {
    store: devnet.store,
    network: devnet.network,
    identity,
    peerSource: NO_PEERS,
    sourceName: "devnet",
    limits: healthLimits,
    clock: { now: () => devnet.clock.nanoseconds() },
    diskUsage: () => diskUsage(dataDirectory),
    // The process that writes the store serves it: nobody else replaces its files
    storeProblem: async () => undefined,
    ...(devnet.evm && { evmProblem: () => evmProblem(devnet) }),
  };
  return new HealthMonitor(parts, states);
}
