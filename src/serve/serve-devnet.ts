/**
 * Serves a devnet from the process that makes its blocks: both interfaces, the C-chain's own RPC, and `/ext/firn`. Answers come from
 * committed state, as everywhere; only issued transactions and `firn.*` calls go to the devnet itself.
 */

import type { Logger } from "pino";
import { ledgerMeter } from "../api/access/meter.ts";
import { defaultDataSettings } from "../api/data/context.ts";
import { openTokenSecret } from "../api/data/token-secret.ts";
import type { Development } from "../api/rpc/firn/development.ts";
import { CommittedStates } from "../api/state/committed-states.ts";
import type { NodeIdentity } from "../api/state/identity.ts";
import { KeptAnswers } from "../api/state/kept-answers.ts";
import { NO_PEERS, type Uptimes } from "../api/state/node-facts.ts";
import type { Id } from "../base/bytes/id.ts";
import type { Limits } from "../base/limits.ts";
import type { Work } from "../base/work/work.ts";
import { devnetAccounts } from "../devnet/accounts.ts";
import type { EvmNode } from "../devnet/anvil/evm-node.ts";
import type { Devnet } from "../devnet/devnet.ts";
import { clockOffset } from "../devnet/devnet-clock.ts";
import type { Pay } from "../http/exchange.ts";
import { close, listen } from "../http/listen.ts";
import type { WebhookService } from "../webhooks/webhook-service.ts";
import { webhookTableList } from "../webhooks/webhook-table-list.ts";
import { devnetIdentity } from "./devnet-identity.ts";
import { DevnetEvmChains } from "./evm/devnet-evm-chains.ts";
import type { EvmAccess } from "./evm/evm-endpoint.ts";
import { EvmGateway } from "./evm/gateway.ts";
import { KeyRing } from "./evm/key-ring.ts";
import { L1Accesses } from "./evm/l1-access.ts";
import { EvmWebSockets } from "./evm/sockets/web-sockets.ts";
import { DevnetHealth, evmProblem } from "./health/devnet-health.ts";
import { exposition, MOST_KEYS, processMetrics } from "./metrics/process-metrics.ts";
import { createNodeServer, type NodeServer } from "./node-server.ts";
import { openBuilds } from "./open-builds.ts";
import type { Serving } from "./serve.ts";
import { serverUrl } from "./serve-here.ts";
import { type CompleteServeOptions, completeOptions, type ServeOptions } from "./serve-options.ts";
import { servingAccess, servingLedger } from "./serving-access.ts";
import { warmUpSoon } from "./warm-up.ts";
import { devnetSigner } from "./warp-signers.ts";

/** The options of `firn serve`, without the clock and the workers, which the devnet sets. All but the directory have defaults. */
export interface ServeDevnetOptions extends Partial<Omit<ServeOptions, "workers" | "time" | "dataDirectory" | "log">> {
  /** holds API keys, and the secret of the Data API's page tokens */
  readonly dataDirectory: string;
  readonly log: Logger;
  /** by default the first validator of genesis */
  readonly identity?: NodeIdentity;
}

/** Resolves once requests are answered. `stop` leaves the devnet running. */
export async function serveDevnet(devnet: Devnet, options: ServeDevnetOptions): Promise<Serving> {
  const complete = completeOptions({ ...DEFAULTS, ...options, workers: 1 });
  const { httpHost, httpPort, log } = complete;
  const kept = servingLedger(complete);
  let webhooks: WebhookService | undefined;
  try {
    const identity = options.identity ?? devnetIdentity(devnet.network);
    const states = new CommittedStates(devnet.store, devnet.network, { kept: new KeptAnswers(0), generation: () => devnet.generation });
    const health = new DevnetHealth(devnet, { identity, states, ...complete });
    const onDefect = (error: unknown, where: string) => log.error({ err: error, where }, "Could not answer a request");
    const { limits } = complete;
    const webSockets = new EvmWebSockets({ limits });
    const accessTo = (evm: EvmNode, chainId: Id) => evmAccess(devnet, { evm, chainId, webSockets, limits, onDefect });
    const evm = devnet.evm && accessTo(devnet.evm, devnet.network.cChainId);
    const evmChains = new DevnetEvmChains(devnet);
    webhooks = await devnetWebhooks(devnet, evmChains, complete);
    const node: NodeServer = createNodeServer({
      ...complete,
      ...partsOf(devnet, complete),
      evmChains,
      webhooks: webhooks && { desk: webhooks.desk, isOpen: true },
      identity,
      ...servingAccess(complete, ledgerMeter(kept.ledger)),
      reports: () => health.reports,
      exposition: async () => {
        const keys = kept.ledger.keysOfToday(MOST_KEYS);
        const facts = { ...(await health.facts()), keys, webhooks: webhooks?.registry.counts() };
        return exposition([processMetrics("devnet", node.metrics.counts)], facts);
      },
      ...(evm && { evm }),
      l1s: new L1Accesses(() => devnet.evms.l1s, accessTo),
      onDefect,
    });
    await health.pass();
    await node.readHeights();
    const { port } = await listen(node.server, httpHost, httpPort);
    const url = serverUrl(httpHost, port);
    await evmChains.open(url);
    const endWarmUp = warmUpSoon(() => node.warmUp());
    health.start();
    return {
      url,
      async stop() {
        health.stop();
        await Promise.all([close(node.server), webSockets.close(), endWarmUp()]);
        await webhooks?.stop();
        await kept.close();
      },
    };
  } catch (error) {
    await webhooks?.stop();
    await kept.close();
    throw error;
  }
}

async function devnetWebhooks(
  devnet: Devnet,
  evmChains: DevnetEvmChains,
  { settings, log }: CompleteServeOptions,
): Promise<WebhookService | undefined> {
  if (settings.webhookTargets === "none") return undefined;
  const { startWebhooks } = await import("../webhooks/webhook-service.ts");
  const { store, network } = devnet;
  const service = await startWebhooks({ store, network, evmChains, settings, log, generation: () => devnet.generation });
  const { registry } = service;
  devnet.keepThroughReverts({ tables: webhookTableList, exclusively: (work) => registry.exclusively(work) });
  return service;
}

const DEFAULTS = {
  httpHost: "127.0.0.1",
  httpPort: 9650,
  allowedHosts: ["localhost"],
  isPublic: false,
  healthCheckFrequencyMs: 30_000,
  settings: { ...defaultDataSettings, webhookTargets: "all" },
} as const;

/** What the devnet contributes to answering requests. */
function partsOf(devnet: Devnet, { publicIp, dataDirectory, access, log, settings }: CompleteServeOptions) {
  return {
    store: devnet.store,
    network: devnet.network,
    facts: { peerSource: NO_PEERS, publicIp, uptimes: uptimesOf(devnet) },
    clock: () => devnet.clock.seconds(),
    clockOffset,
    generation: () => devnet.generation,
    trustedProxies: access.trustedProxies,
    tokenSecret: openTokenSecret(dataDirectory),
    builds: openBuilds(dataDirectory, log),
    warpSigner: devnetSigner((unsigned, options) => devnet.warp.sign(unsigned, options)),
    settings: { ...settings, acceptedBuilds: "all" as const },
    issueContext: () => devnet,
    development: developmentOf(devnet),
  };
}

interface EvmAccessParts {
  readonly evm: EvmNode;
  readonly chainId: Id;
  readonly webSockets: EvmWebSockets;
  readonly limits: Limits;
  onDefect(error: unknown, where: string): void;
}

function evmAccess(devnet: Devnet, { chainId, webSockets, ...parts }: EvmAccessParts): EvmAccess {
  const { network, clock } = devnet;
  const development = {
    ...developmentOf(devnet),
    mineEvm: (blocks: number, intervalSeconds: bigint) => devnet.mineEvm(blocks, intervalSeconds, chainId, { isLater: true }),
    setNextEvmTimestamp: (to: bigint) => devnet.setNextEvmTimestamp(to, chainId),
    evmControls: devnet.evms.running(chainId)!.controls,
    keyRing: new KeyRing(devnet.accountKeys.map(({ key }) => key)),
  };
  const warp = devnet.warp.of(chainId);
  const gateway = new EvmGateway({ ...parts, network, clock: () => clock.seconds(), development, ...(warp && { warp }) });
  return {
    answer: (body: string, pay: Pay, work: Work) => gateway.answer(body, pay, work),
    accept: webSockets.acceptFor({ gateway, evm: parts.evm }),
  };
}

function developmentOf(devnet: Devnet): Development {
  return {
    keys: devnetAccounts(devnet.network, devnet.accountKeys),
    now: () => devnet.clock.seconds(),
    advanceTime: (seconds) => devnet.advanceTime(seconds),
    setTime: (to) => devnet.setTime(to),
    uptime: (subnetId, nodeId) => devnet.uptime(subnetId, nodeId),
    setUptime: (nodeId, millionths, subnetId) => devnet.setUptime(nodeId, millionths, subnetId),
    mine: () => devnet.mine(),
    fund: (address, amount) => devnet.fund(address, amount),
    mineEvm: (blocks, intervalSeconds) => devnet.mineEvm(blocks, intervalSeconds),
    setNextEvmTimestamp: (to) => devnet.setNextEvmTimestamp(to),
    createL1: (wish) => devnet.createL1(wish),
    l1s: () => devnet.evms.l1s,
    snapshot: (options) => devnet.snapshot(options),
    revert: (snapshotId, options) => devnet.revert(snapshotId, options),
    snapshots: () => devnet.snapshots(),
    deleteSnapshot: (id) => devnet.deleteSnapshot(id),
    signWarp: (unsigned, options) => devnet.warp.sign(unsigned, options),
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
