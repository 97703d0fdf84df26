/** Serves requests in this process. */
import type { Meter } from "../data/access/meter.ts";
import { openTokenSecret } from "../data/token-secret.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import { NO_PEERS } from "../rpc/info/node-facts.ts";
import { EvmChainsOfStore, type LiveEvmChains } from "./evm-chains.ts";
import type { NodeIdentity } from "./identity.ts";
import { close, listen } from "./listen.ts";
import { createNodeServer, type NodeServer } from "./node-server.ts";
import type { CompleteServeOptions } from "./serve-options.ts";
import { servingAccess } from "./serving-access.ts";
import type { ServingStore } from "./serving-store.ts";

/** What the process that answers needs of the one that runs the checks; the two may be one. */
export interface ServingSeams {
  reports(): HealthReports;
  exposition(): Promise<string>;
  /** counts what clients of the Data API spend */
  readonly meter: Meter;
  /** what is known here of EVM chains besides the store */
  readonly evm: LiveEvmChains;
  /** told of the server before it listens */
  onServer(node: NodeServer): void;
}

export interface Listening {
  readonly url: string;
  /** new results of the health checks */
  onReports(reports: HealthReports): void;
  /** lets running requests finish */
  stop(): Promise<void>;
}

/** first answers come first */
export const WARM_UP_DELAY_MS = 200;

export async function serveHere(
  options: CompleteServeOptions,
  { store, network }: ServingStore,
  identity: NodeIdentity,
  seams: ServingSeams,
): Promise<Listening> {
  const node = createNodeServer({
    store,
    network,
    identity,
    facts: { peerSource: NO_PEERS, publicIp: options.publicIp },
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins,
    isPublic: options.isPublic,
    ...(options.time !== undefined && { clock: () => options.time! }),
    cacheBytes: options.cacheBytes,
    access: servingAccess(options, seams.meter),
    trustedProxies: options.access.trustedProxies,
    tokenSecret: openTokenSecret(options.dataDirectory),
    settings: options.settings,
    evmChains: new EvmChainsOfStore(seams.evm, options.log),
    maxStalenessSeconds: options.maxStalenessSeconds,
    reports: seams.reports,
    exposition: seams.exposition,
    // Chains are large and few requests verify: they are loaded when the first one does
    issueContext: (states, clock) => ({
      async issue(chainId, txBytes) {
        const { refuseToIssue } = await import("./transaction-verifier.ts");
        return states.use((state) => refuseToIssue(state, { network, clock }, chainId, txBytes));
      },
      status: () => undefined,
      isPendingChain: () => false,
    }),
    onDefect: (error, where) => options.log.error({ err: error, where }, "Could not answer a request"),
  });
  seams.onServer(node);
  await node.readHeights();
  const { port } = await listen(node.server, options.httpHost, options.httpPort);
  // The Data API's parts load while nobody waits; a request that comes earlier loads them too, and tells what is wrong with them
  setTimeout(() => node.warmUp().catch(() => {}), WARM_UP_DELAY_MS).unref();
  return { url: serverUrl(options.httpHost, port), onReports: () => {}, stop: () => close(node.server) };
}

export function serverUrl(host: string, port: number): string {
  const name = host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
