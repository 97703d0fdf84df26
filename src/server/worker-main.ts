/** A worker process: answers requests; health results and merged metrics come from the process that started it. */
import pino from "pino";
import { LeasedMeter } from "../data/access/leased-meter.ts";
import type { Grant } from "../data/access/ledger.ts";
import { DataError } from "../data/errors.ts";
import { FirnError } from "../primitives/errors.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import type { LiveEvmChains } from "./evm-chains.ts";
import { EvmConnections } from "./evm-connections.ts";
import { openIdentity } from "./identity.ts";
import { NO_COUNTS } from "./metrics.ts";
import type { NodeServer } from "./node-server.ts";
import { processMetrics } from "./process-metrics.ts";
import { type Listening, serveHere } from "./serve-here.ts";
import type { CompleteServeOptions } from "./serve-options.ts";
import { openServingStore } from "./serving-store.ts";
import { type FromWorker, type NftName, type ToWorker, WORKER_OPTIONS, type WorkerOptions } from "./worker-messages.ts";

const { logLevel, time, isFollowing, ...rest }: WorkerOptions = JSON.parse(process.env[WORKER_OPTIONS]!);
const log = pino({ level: logLevel }, pino.destination(2));
const options: CompleteServeOptions = { ...rest, log, time: time === undefined ? undefined : BigInt(time) };

const name = `worker ${process.pid}`;
const waitingForExposition = new Map<number, (text: string) => void>();
const waitingForLoan = new Map<number, (grants: readonly Grant[]) => void>();
const waitingForReindexing = new Map<number, (isTaken: boolean | undefined) => void>();
let node: NodeServer | undefined;
let reports: HealthReports = { health: [], readiness: [] };
let requests = 0;

const firstReports = new Promise<void>((resolve) => {
  process.on("message", (message: ToWorker) => {
    if (message.kind === "reports") {
      reports = message.reports;
      resolve();
    } else if (message.kind === "exposition") {
      waitingForExposition.get(message.request)?.(message.text);
      waitingForExposition.delete(message.request);
    } else if (message.kind === "lent") {
      waitingForLoan.get(message.request)?.(message.grants);
      waitingForLoan.delete(message.request);
    } else if (message.kind === "reindexing") {
      waitingForReindexing.get(message.request)?.(message.isTaken);
      waitingForReindexing.delete(message.request);
    } else if (message.kind === "metrics-wanted") {
      const counts = node?.metrics.counts ?? NO_COUNTS;
      tell({ kind: "metrics", request: message.request, metrics: processMetrics(name, counts) });
    } else void stop();
  });
});

tell({ kind: "attentive" });

function tell(message: FromWorker): void {
  if (process.connected) process.send!(message);
}

function exposition(): Promise<string> {
  const request = requests++;
  return new Promise((resolve) => {
    waitingForExposition.set(request, resolve);
    tell({ kind: "exposition-wanted", request });
  });
}

const meter = new LeasedMeter({
  limits: options.access.rateLimits,
  now: Date.now,
  borrow(wanted) {
    const request = requests++;
    return new Promise((resolve) => {
      waitingForLoan.set(request, resolve);
      tell({ kind: "loan-wanted", request, wanted });
    });
  },
});

/** The process that follows a chain reads metadata; this one asks it to. */
async function reindexNft(nft: NftName): Promise<boolean> {
  const request = requests++;
  const isTaken = await new Promise<boolean | undefined>((resolve) => {
    waitingForReindexing.set(request, resolve);
    tell({ kind: "reindex-wanted", request, nft });
  });
  if (isTaken === undefined) throw new DataError(503, "the chain is not indexed at the moment; try again later");
  return isTaken;
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
listening.catch((error: unknown) => {
  const code = error instanceof FirnError ? error.code : "worker";
  tell({ kind: "failed", code, message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});

async function start(): Promise<Listening> {
  const serving = await openServingStore(options.dataDirectory);
  const identity = openIdentity(options.dataDirectory);
  await firstReports;
  const connections = new EvmConnections(options.evmRpcs, log);
  const started = await serveHere(options, serving, identity, {
    reports: () => reports,
    exposition,
    meter,
    evm: liveChains(connections),
    onServer(own) {
      node = own;
    },
  });
  tell({ kind: "listening", url: started.url });
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

// The terminal's Ctrl-C reaches every process of the group; the process that started this one says when to stop
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
process.on("disconnect", () => void stop());
