/**
 * Verifies proofs of possession on other threads before the blocks that hold them are executed: execution then finds them verified.
 * Threads start with the first call, and do not keep the process alive.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isVerified, rememberVerified } from "./bls.ts";
import type { Possession } from "./possession.ts";

/** A batch shares one final exponentiation; more than this gains little and delays the first answer. */
const BATCH = 64;
const MAX_THREADS = 8;

/** A thread answers in the order in which it is asked. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];

  constructor() {
    this.#worker = startWorker();
    this.#worker.unref();
    this.#worker.on("message", (results: boolean[]) => this.#waiting.shift()?.resolve(results));
    this.#worker.on("error", (error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
  }

  get load(): number {
    return this.#waiting.length;
  }

  verify(possessions: readonly Possession[]): Promise<boolean[]> {
    return new Promise((resolve, reject) => {
      // while somebody waits for an answer, the process must live
      this.#worker.ref();
      const settle = () => this.load === 0 && this.#worker.unref();
      this.#waiting.push({
        resolve: (results) => {
          settle();
          resolve(results);
        },
        reject,
      });
      this.#worker.postMessage(possessions);
    });
  }
}

interface Waiting {
  resolve(results: boolean[]): void;
  reject(error: Error): void;
}

const threads: Thread[] = [];

/** Which of them hold. Those that do are remembered, so that `proofOfPossessionProblem` answers at once. */
export async function verifyProofsOfPossession(possessions: readonly Possession[]): Promise<boolean[]> {
  const unknown = possessions.filter((possession) => !isVerified(possession));
  const batches: Promise<void>[] = [];
  for (let i = 0; i < unknown.length; i += BATCH) batches.push(verifyBatch(unknown.slice(i, i + BATCH)));
  await Promise.all(batches);
  return possessions.map(isVerified);
}

async function verifyBatch(batch: readonly Possession[]): Promise<void> {
  const results = await leastBusyThread().verify(batch);
  batch.forEach((possession, i) => {
    if (results[i]) rememberVerified(possession);
  });
}

function leastBusyThread(): Thread {
  const idle = threads.find(({ load }) => load === 0);
  if (idle !== undefined) return idle;
  // one core is left to execution
  if (threads.length < Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1))) {
    const thread = new Thread();
    threads.push(thread);
    return thread;
  }
  return threads.reduce((least, thread) => (thread.load < least.load ? thread : least));
}

function startWorker(): Worker {
  const url = new URL("./possession-worker.js", import.meta.url);
  return import.meta.url.endsWith(".ts") ? startFromSource(url) : new Worker(url);
}

/** Development only: a thread does not inherit the loader that reads TypeScript. */
function startFromSource(url: URL): Worker {
  const source = JSON.stringify(url.href.replace(/js$/, "ts"));
  return new Worker(`import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`, { eval: true });
}
