/** A worker process: answers requests. Health results and merged metrics come from the process that started it. */
import { createBirpc } from "birpc";
import { LeasedMeter } from "../../api/access/leased-meter.ts";
import { DataError } from "../../api/data/errors.ts";
import type { WebhookDesk } from "../../api/data/webhooks/webhook-desk.ts";
import type { HealthReports } from "../../api/state/health-report.ts";
import { openIdentity } from "../../api/state/identity.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { refusalOf } from "../../base/files/problem.ts";
import type { LiveEvmChains } from "../evm/evm-chains.ts";
import { EvmConnections } from "../evm/evm-connections.ts";
import { collectGarbageEarly } from "../garbage.ts";
import { openLog } from "../log.ts";
import { NO_COUNTS } from "../metrics/metrics.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import type { NodeServer } from "../node-server.ts";
import { type Listening, serveHere } from "../serve-here.ts";
import type { CompleteServeOptions } from "../serve-options.ts";
import { openServingStore } from "../serving-store.ts";
import { type NftName, type PrimaryCalls, WORKER_OPTIONS, type WorkerCalls, type WorkerOptions } from "./worker-messages.ts";

collectGarbageEarly();
const { logLevel, time, isFollowing, hasWebhooks, ...rest }: WorkerOptions = JSON.parse(process.env[WORKER_OPTIONS]!);
const log = openLog(logLevel);
const options: CompleteServeOptions = { ...rest, log, time: time === undefined ? undefined : BigInt(time) };

const name = `worker ${process.pid}`;
let node: NodeServer | undefined;
let reports: HealthReports = { health: [], readiness: [] };

const primary = createBirpc<PrimaryCalls, WorkerCalls>(
  {
    reports(newest) {
      reports = newest;
    },
    metrics: () => processMetrics(name, node?.metrics.counts ?? NO_COUNTS),
    stop: () => void stop(),
  },
  {
    // as in `workers.ts`: the end of the other process is heard of as such
    post: (message) => process.connected && process.send!(message, undefined, undefined, () => {}),
    on: (listener) => process.on("message", listener),
    // no timeout: if that process ends, this one does too
    timeout: -1,
  },
);

const meter = new LeasedMeter({
  limits: options.access.rateLimits,
  now: Date.now,
  borrow: (wanted) => primary.lend(wanted),
});

/** Metadata is read by the process that follows the chain, so this one asks it. */
async function reindexNft(nft: NftName): Promise<boolean> {
  const isTaken = await primary.reindexNft(nft);
  if (isTaken === undefined) throw new DataError(503, "the chain is not indexed at the moment; try again later");
  return isTaken;
}

const DESK_METHODS = [
  "create",
  "list",
  "get",
  "update",
  "addresses",
  "addAddresses",
  "removeAddresses",
  "secret",
  "rotateSecret",
  "deliveries",
  "test",
] as const satisfies readonly (keyof WebhookDesk)[];

/** The desk of the process that writes the store. */
function remoteDesk(): WebhookDesk {
  const methods = DESK_METHODS.map((method) => [
    method,
    async (...args: unknown[]) => {
      const reply = await primary.webhooks(method, args);
      if ("refusal" in reply) throw new DataError(reply.refusal.status, reply.refusal.message);
      return reply.value;
    },
  ]);
  return Object.fromEntries(methods) as WebhookDesk;
}

function liveChains(connections: LiveEvmChains): LiveEvmChains {
  if (!isFollowing) return connections;
  return {
    find(evmChainId) {
      const live = connections.find(evmChainId);
      const chain = evmChainId.toString();
      return live && { ...live, reindexNft: (token, tokenId) => reindexNft({ evmChainId: chain, token, tokenId: tokenId.toString() }) };
    },
  };
}

const listening = start();
listening.catch(async (error: unknown) => {
  const code = error instanceof FirnError ? error.category : "worker";
  await primary.failed.asEvent(code, refusalOf(error) ?? (error instanceof Error ? error.message : String(error)));
  process.exit(1);
});

async function start(): Promise<Listening> {
  const serving = await openServingStore(options);
  const identity = openIdentity(options.dataDirectory);
  reports = await primary.reports();
  const connections = new EvmConnections(options);
  const started = await serveHere(options, serving, identity, {
    reports: () => reports,
    exposition: () => primary.exposition(),
    meter,
    evm: liveChains(connections),
    live: options.upstreams.length === 0 ? undefined : primary,
    webhooks: hasWebhooks ? remoteDesk() : undefined,
    onServer(own) {
      node = own;
    },
  });
  await primary.listening.asEvent(started.url);
  return {
    ...started,
    async stop() {
      await started.stop();
      await connections.close();
      await serving.store.close();
    },
  };
}

let isStopping = false;

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await (await listening).stop();
  process.exit(0);
}

// A terminal's Ctrl-C reaches every process of the group; the process that started this one says when to stop
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => void stop());
