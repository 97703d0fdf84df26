/** Serves requests in this process. */

import type { Meter } from "../api/access/meter.ts";
import { openTokenSecret } from "../api/data/token-secret.ts";
import type { WebhookDesk } from "../api/data/webhooks/webhook-desk.ts";
import { KeptFacts } from "../api/live-node/kept-facts.ts";
import type { LiveNode } from "../api/live-node/live-node.ts";
import { RpcError } from "../api/rpc/errors.ts";
import type { IssueContext } from "../api/rpc/method.ts";
import type { HealthReports } from "../api/state/health-report.ts";
import type { NodeIdentity } from "../api/state/identity.ts";
import { NO_PEERS } from "../api/state/node-facts.ts";
import { sha256 } from "../base/bytes/hash.ts";
import type { Id } from "../base/bytes/id.ts";
import type { Limits } from "../base/limits.ts";
import { close, listen } from "../http/listen.ts";
import type { NetworkInstance } from "../network/network.ts";
import { EvmChainsOfStore, type LiveEvmChains } from "./evm/evm-chains.ts";
import { createNodeServer, type IssuingRequest, type NodeServer } from "./node-server.ts";
import { openBuilds } from "./open-builds.ts";
import type { CompleteServeOptions } from "./serve-options.ts";
import { servingAccess } from "./serving-access.ts";
import type { ServingStore } from "./serving-store.ts";
import { warmUpSoon } from "./warm-up.ts";
import { AggregatorSigner } from "./warp-signers.ts";

/** What the serving process needs from the process that runs the health checks; both may be the same. */
export interface ServingSeams {
  reports(): HealthReports;
  exposition(): Promise<string>;
  /** counts what clients spend */
  readonly meter: Meter;
  /** what this process has for EVM chains in addition to the store */
  readonly evm: LiveEvmChains;
  /** the nodes of the network that the server follows; undefined: there are none */
  readonly live: LiveNode | undefined;
  /** undefined: no process of this server keeps webhooks */
  readonly webhooks: WebhookDesk | undefined;
  /** called with the server before it listens */
  onServer(node: NodeServer): void;
}

export interface Listening {
  readonly url: string;
  /** called with new results of the health checks */
  onReports(reports: HealthReports): void;
  /** lets running requests finish */
  stop(): Promise<void>;
}

export async function serveHere(
  options: CompleteServeOptions,
  { store, network, generation }: ServingStore,
  identity: NodeIdentity,
  seams: ServingSeams,
): Promise<Listening> {
  const node = createNodeServer({
    store,
    network,
    ...(generation && { generation }),
    identity,
    facts: { peerSource: NO_PEERS, publicIp: options.publicIp, live: seams.live && new KeptFacts(seams.live, options.limits) },
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins,
    isPublic: options.isPublic,
    hasExplorer: options.hasExplorer,
    ...(options.time !== undefined && { clock: () => options.time! }),
    cacheBytes: options.cacheBytes,
    limits: options.limits,
    ...servingAccess(options, seams.meter),
    trustedProxies: options.access.trustedProxies,
    tokenSecret: openTokenSecret(options.dataDirectory),
    builds: openBuilds(options.dataDirectory, options.log),
    warpSigner: options.settings.signatureAggregator === undefined ? undefined : new AggregatorSigner(options.settings.signatureAggregator),
    webhooks: seams.webhooks && { desk: seams.webhooks, isOpen: false },
    settings: options.settings,
    evmChains: new EvmChainsOfStore(seams.evm, options.log),
    maxStalenessSeconds: options.maxStalenessSeconds,
    reports: seams.reports,
    exposition: seams.exposition,
    issueContext: issuingTo({ network, limits: options.limits, live: seams.live }),
    onDefect: (error, where) => options.log.error({ err: error, where }, "Could not answer a request"),
  });
  seams.onServer(node);
  await node.readHeights();
  const { port } = await listen(node.server, options.httpHost, options.httpPort);
  const endWarmUp = warmUpSoon(() => node.warmUp());
  return {
    url: serverUrl(options.httpHost, port),
    onReports: () => {},
    stop: async () => {
      await Promise.all([close(node.server), endWarmUp()]);
    },
  };
}

export function serverUrl(host: string, port: number): string {
  const name = host === "" || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

interface IssuingParts {
  readonly network: NetworkInstance;
  readonly limits: Limits;
  /** undefined: this server follows no node */
  readonly live: LiveNode | undefined;
}

/** What becomes of transactions that clients issue to a server that makes no blocks: verified, then passed to the nodes that it follows. */
function issuingTo({ network, limits, live }: IssuingParts): (request: IssuingRequest) => IssueContext {
  return ({ states, clock, work }) => ({
    async issue(chainId, txBytes) {
      // Chains are large and few requests verify transactions, so they are loaded by the first one that does
      const { verifyIssued } = await import("./transaction-verifier.ts");
      await states.use((state) => verifyIssued(state, { network, clock, work, limits }, chainId, txBytes));
      if (live === undefined) throw withoutNodes(chainId, network);
      const txId = Buffer.from(sha256(txBytes)).toString("hex");
      const refusal = await live.issue({ chainId, txId, bytes: Buffer.from(txBytes).toString("hex") });
      if (refusal !== undefined) throw new RpcError(refusal.sentence);
      return txId;
    },
    status: (chainId, txId) => live?.status(chainId, txId),
    isPendingChain: () => false,
  });
}

function withoutNodes(chainId: Id, { cChainId }: NetworkInstance): RpcError {
  return new RpcError(
    chainId === cChainId
      ? "couldn't issue tx: this node does not run the C-chain's EVM and has no peers to send it to"
      : "couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to",
  );
}
