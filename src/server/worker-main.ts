/** A worker process: answers requests; health results and merged metrics come from the process that started it. */
import pino from "pino";
import { LeasedMeter } from "../data/access/leased-meter.ts";
import type { Grant } from "../data/access/ledger.ts";
import { FirnError } from "../primitives/errors.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import { openIdentity } from "./identity.ts";
import { NO_COUNTS } from "./metrics.ts";
import type { NodeServer } from "./node-server.ts";
import { processMetrics } from "./process-metrics.ts";
import { type Listening, serveHere } from "./serve-here.ts";
import type { CompleteServeOptions } from "./serve-options.ts";
import { openServingStore } from "./serving-store.ts";
import { type FromWorker, type ToWorker, WORKER_OPTIONS, type WorkerOptions } from "./worker-messages.ts";

const { logLevel, time, ...rest }: WorkerOptions = JSON.parse(process.env[WORKER_OPTIONS]!);
const log = pino({ level: logLevel }, pino.destination(2));
const options: CompleteServeOptions = { ...rest, log, time: time === undefined ? undefined : BigInt(time) };

const name = `worker ${process.pid}`;
const waitingForExposition = new Map<number, (text: string) => void>();
const waitingForLoan = new Map<number, (grants: readonly Grant[]) => void>();
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
  const started = await serveHere(options, serving, identity, {
    reports: () => reports,
    exposition,
    meter,
    onServer(own) {
      node = own;
    },
  });
  tell({ kind: "listening", url: started.url });
  return {
    ...started,
    async stop() {
      await started.stop();
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
