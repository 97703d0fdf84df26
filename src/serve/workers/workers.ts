/**
 * Runs worker processes that share one port, and replaces those that die. This process answers no requests: it runs the health checks and
 * adds up metrics.
 */
import cluster, { type Worker } from "node:cluster";
import { extname, join } from "node:path";
import { type BirpcReturn, createBirpc } from "birpc";
import type { LoanRequest } from "../../api/access/leased-meter.ts";
import type { Grant } from "../../api/access/ledger.ts";
import { DataError, unexpected } from "../../api/data/errors.ts";
import type { WebhookDesk } from "../../api/data/webhooks/webhook-desk.ts";
import type { LiveNode } from "../../api/live-node/live-node.ts";
import type { HealthReports } from "../../api/state/health-report.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { ProcessMetrics } from "../metrics/process-metrics.ts";
import type { Listening } from "../serve-here.ts";
import type { CompleteServeOptions } from "../serve-options.ts";
import {
  type NftName,
  type PrimaryCalls,
  type WebhookReply,
  WORKER_OPTIONS,
  type WorkerCalls,
  type WorkerOptions,
} from "./worker-messages.ts";

/** What the workers need from this process. */
interface PrimarySeams {
  /** the newest results; waits for the first ones */
  reports(): Promise<HealthReports>;
  exposition(workers: readonly ProcessMetrics[]): Promise<string>;
  /** lends compute units to a worker; what clients spend is counted here */
  lend(request: LoanRequest): readonly Grant[];
  /** what workers ask nodes for, if they have any to ask */
  readonly live: LiveNode | undefined;
  /** undefined: this process keeps no webhooks */
  readonly webhooks: WebhookDesk | undefined;
  /** see LiveEvmChain; undefined if this process does not index */
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
    return { url: urls[0]!, onReports: (reports) => group.tellAll((calls) => calls.reports.asEvent(reports)), stop: () => group.stop() };
  } catch (error) {
    await group.stop();
    throw error;
  }
}

type Calls = BirpcReturn<WorkerCalls, PrimaryCalls>;

class WorkerGroup {
  readonly #options: CompleteServeOptions;
  readonly #seams: PrimarySeams;
  readonly #environment: Record<string, string>;
  readonly #workers = new Map<Worker, Calls>();
  #isStopping = false;

  constructor(options: CompleteServeOptions, seams: PrimarySeams) {
    this.#options = options;
    this.#seams = seams;
    const { log, time, ...rest } = options;
    const workerOptions: WorkerOptions = {
      ...rest,
      logLevel: log.level,
      isFollowing: seams.reindexNft !== undefined,
      hasWebhooks: seams.webhooks !== undefined,
      ...(time !== undefined && { time: time.toString() }),
    };
    this.#environment = { [WORKER_OPTIONS]: JSON.stringify(workerOptions) };
    // Each worker accepts connections itself when it has time. With round-robin this process hands each worker one connection at a time and
    // waits for its reply, so at a few hundred new connections a second everybody waits in a queue.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: join(import.meta.dirname, `worker-main${extname(import.meta.filename)}`), args: [] });
  }

  /** Resolves to the URL once the worker listens. */
  start(): Promise<string> {
    const worker = cluster.fork(this.#environment);
    return new Promise((resolve, reject) => {
      let isListening = false;
      const calls = callsTo(worker, {
        reports: () => this.#seams.reports(),
        listening(url) {
          isListening = true;
          resolve(url);
        },
        failed: (code, message) => reject(new FirnError(code, message)),
        exposition: async () => this.#seams.exposition(await this.#collectMetrics()),
        lend: (wanted) => this.#seams.lend(wanted),
        webhooks: (method, args) => this.#askDesk(method, args),
        reindexNft: (nft) => this.#reindex(nft),
        issue: (tx) => this.#seams.live!.issue(tx),
        status: (chainId, txId) => this.#seams.live!.status(chainId, txId),
        fact: (name) => this.#seams.live!.fact(name),
        uptimes: () => this.#seams.live!.uptimes(),
      });
      this.#workers.set(worker, calls);
      worker.on("exit", (code, signal) => {
        this.#workers.delete(worker);
        calls.$close();
        reject(new FirnError("worker-exit", `a worker process ended at its start (${signal ?? code})`));
        if (isListening && !this.#isStopping) this.#replace(code, signal);
      });
    });
  }

  tellAll(tell: (calls: Calls) => Promise<void>): void {
    for (const calls of this.#workers.values()) void tell(calls);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const exits = [...this.#workers.keys()].map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
    this.tellAll((calls) => calls.stop.asEvent());
    const timer = setTimeout(() => {
      for (const worker of this.#workers.keys()) worker.process.kill("SIGKILL");
    }, STOP_TIMEOUT_MS);
    await Promise.all(exits);
    clearTimeout(timer);
  }

  #replace(code: number, signal: string | undefined): void {
    this.#options.log.error({ code, signal }, "A worker process ended; starting another");
    this.#startLater();
  }

  /** Retries until it works: the cause, such as too little memory, may pass. */
  #startLater(): void {
    setTimeout(() => {
      if (this.#isStopping) return;
      this.start().catch((error: unknown) => {
        this.#options.log.error({ err: error }, "Could not start a worker process; trying again");
        this.#startLater();
      });
    }, RESTART_DELAY_MS).unref();
  }

  async #askDesk(method: keyof WebhookDesk, args: readonly unknown[]): Promise<WebhookReply> {
    try {
      return { value: await callDesk(this.#seams.webhooks!, method, args) };
    } catch (error) {
      if (error instanceof DataError) return { refusal: { status: error.status, message: error.message } };
      this.#options.log.error({ err: error, method }, "Could not do what a client asked of its webhooks");
      const { status, message } = unexpected();
      return { refusal: { status, message } };
    }
  }

  #reindex(nft: NftName): Promise<boolean | undefined> {
    const isTaken = this.#seams.reindexNft?.(nft) ?? Promise.resolve(undefined);
    return isTaken.catch((error: unknown) => {
      this.#options.log.error({ err: error }, "Could not request that the metadata of an NFT be read again");
      return undefined;
    });
  }

  /** Collects from all workers that answer in time. */
  async #collectMetrics(): Promise<ProcessMetrics[]> {
    const answers = await Promise.allSettled([...this.#workers.values()].map((calls) => calls.metrics()));
    const collected = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    return collected.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The arguments are those that a worker's desk was called with. */
function callDesk(desk: WebhookDesk, method: keyof WebhookDesk, args: readonly unknown[]): Promise<unknown> {
  return (desk[method] as (...args: unknown[]) => Promise<unknown>).apply(desk, [...args]);
}

export function callsTo(worker: Pick<Worker, "isConnected" | "send" | "on">, functions: PrimaryCalls): Calls {
  return createBirpc<WorkerCalls, PrimaryCalls>(functions, {
    // one that just died is not known to be gone: its exit is what counts, and is told
    post: (message) => worker.isConnected() && worker.send(message, () => {}),
    on: (listener) => worker.on("message", listener),
    timeout: METRICS_TIMEOUT_MS,
  });
}
