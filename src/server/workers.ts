/**
 * Worker processes that share one port (node:cluster hands connections round). A worker that dies is replaced. This process answers no
 * requests: it runs the health checks and adds up metrics.
 */
import cluster, { type Worker } from "node:cluster";
import { extname, join } from "node:path";
import type { LoanRequest } from "../data/access/leased-meter.ts";
import type { Grant } from "../data/access/ledger.ts";
import { FirnError } from "../primitives/errors.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import type { ProcessMetrics } from "./process-metrics.ts";
import type { Listening } from "./serve-here.ts";
import type { CompleteServeOptions } from "./serve-options.ts";
import { type FromWorker, type NftName, type ToWorker, WORKER_OPTIONS, type WorkerOptions } from "./worker-messages.ts";

/** What the workers need of this process. */
export interface PrimarySeams {
  /** the newest results; the first ones when they are there */
  reports(): Promise<HealthReports>;
  exposition(workers: readonly ProcessMetrics[]): Promise<string>;
  /** what clients of the Data API spend is counted here */
  lend(request: LoanRequest): readonly Grant[];
  /** see LiveEvmChain; undefined: nothing here indexes */
  readonly reindexNft?: ((nft: NftName) => Promise<boolean | undefined>) | undefined;
}

const RESTART_DELAY_MS = 1_000;
const METRICS_TIMEOUT_MS = 1_000;
/** longer than a worker gives its requests */
const STOP_TIMEOUT_MS = 12_000;

export async function startWorkers(options: CompleteServeOptions, seams: PrimarySeams): Promise<Listening> {
  const group = new WorkerGroup(options, seams);
  try {
    const urls = await Promise.all(Array.from({ length: options.workers }, () => group.start()));
    return { url: urls[0]!, onReports: (reports) => group.tellAll({ kind: "reports", reports }), stop: () => group.stop() };
  } catch (error) {
    await group.stop();
    throw error;
  }
}

class WorkerGroup {
  readonly #options: CompleteServeOptions;
  readonly #seams: PrimarySeams;
  readonly #environment: Record<string, string>;
  readonly #workers = new Set<Worker>();
  readonly #collections = new Map<number, (metrics: ProcessMetrics) => void>();
  #requests = 0;
  #isStopping = false;

  constructor(options: CompleteServeOptions, seams: PrimarySeams) {
    this.#options = options;
    this.#seams = seams;
    const { log, time, ...rest } = options;
    const workerOptions: WorkerOptions = {
      ...rest,
      logLevel: log.level,
      isFollowing: seams.reindexNft !== undefined,
      ...(time !== undefined && { time: time.toString() }),
    };
    this.#environment = { [WORKER_OPTIONS]: JSON.stringify(workerOptions) };
    cluster.setupPrimary({ exec: join(import.meta.dirname, `worker-main${extname(import.meta.filename)}`), args: [] });
  }

  /** Resolves to the URL once the worker listens. */
  start(): Promise<string> {
    const worker = cluster.fork(this.#environment);
    this.#workers.add(worker);
    return new Promise((resolve, reject) => {
      let isListening = false;
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "attentive") void this.#seams.reports().then((reports) => send(worker, { kind: "reports", reports }));
        else if (message.kind === "listening") {
          isListening = true;
          resolve(message.url);
        } else if (message.kind === "failed") reject(new FirnError(message.code, message.message));
        else if (message.kind === "metrics") this.#collections.get(message.request)?.(message.metrics);
        else if (message.kind === "loan-wanted") {
          send(worker, { kind: "lent", request: message.request, grants: this.#seams.lend(message.wanted) });
        } else if (message.kind === "reindex-wanted") void this.#reindex(worker, message);
        else void this.#answerExposition(worker, message.request);
      });
      worker.on("exit", (code, signal) => {
        this.#workers.delete(worker);
        reject(new FirnError("worker-exit", `a worker process ended at its start (${signal ?? code})`));
        if (isListening && !this.#isStopping) this.#replace(code, signal);
      });
    });
  }

  tellAll(message: ToWorker): void {
    for (const worker of this.#workers) send(worker, message);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const exits = [...this.#workers].map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
    this.tellAll({ kind: "stop" });
    const timer = setTimeout(() => {
      for (const worker of this.#workers) worker.process.kill("SIGKILL");
    }, STOP_TIMEOUT_MS);
    await Promise.all(exits);
    clearTimeout(timer);
  }

  #replace(code: number, signal: string | undefined): void {
    this.#options.log.error({ code, signal }, "A worker process ended; starting another");
    this.#startLater();
  }

  /** Until it works: what keeps a worker from starting, such as too little memory, may pass. */
  #startLater(): void {
    setTimeout(() => {
      if (this.#isStopping) return;
      this.start().catch((error: unknown) => {
        this.#options.log.error({ err: error }, "Could not start a worker process; trying again");
        this.#startLater();
      });
    }, RESTART_DELAY_MS).unref();
  }

  async #reindex(worker: Worker, { request, nft }: Extract<FromWorker, { kind: "reindex-wanted" }>): Promise<void> {
    const isTaken = await this.#seams.reindexNft?.(nft).catch((error: unknown) => {
      this.#options.log.error({ err: error }, "Could not have the metadata of an NFT read again");
      return undefined;
    });
    send(worker, { kind: "reindexing", request, isTaken });
  }

  async #answerExposition(worker: Worker, request: number): Promise<void> {
    send(worker, { kind: "exposition", request, text: await this.#seams.exposition(await this.#collectMetrics()) });
  }

  /** Of all workers that answer in time. */
  #collectMetrics(): Promise<ProcessMetrics[]> {
    const request = this.#requests++;
    const collected: ProcessMetrics[] = [];
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#collections.delete(request);
        resolve(collected.sort((a, b) => (a.name < b.name ? -1 : 1)));
      };
      const timer = setTimeout(finish, METRICS_TIMEOUT_MS);
      const expected = this.#workers.size;
      this.#collections.set(request, (metrics) => {
        if (collected.push(metrics) === expected) finish();
      });
      this.tellAll({ kind: "metrics-wanted", request });
    });
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
