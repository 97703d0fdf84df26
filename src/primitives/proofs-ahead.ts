/**
 * Verifies proofs of possession on other threads before the blocks that hold them are executed: execution then finds them verified.
 * Threads start with the first call, and do not keep the process alive.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { isVerified, nameOfPossession, rememberVerified } from "./bls.ts";
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
    this.#worker.on("message", (results: boolean[]) => {
      this.#waiting.shift()?.resolve(results);
      if (this.load === 0) this.#worker.unref();
    });
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("the thread that verifies proofs of possession has ended")));
  }

  get load(): number {
    return this.#waiting.length;
  }

  verify(possessions: readonly Possession[]): Promise<boolean[]> {
    // while somebody waits for an answer, the process must live
    this.#worker.ref();
    this.#worker.postMessage(possessions);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** A thread that is gone answers nobody; the next call starts another. */
  #end(error: Error): void {
    const index = threads.indexOf(this);
    if (index !== -1) threads.splice(index, 1);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

interface Waiting {
  resolve(results: boolean[]): void;
  reject(error: Error): void;
}

const threads: Thread[] = [];
/** Being verified, by name. */
const pending = new Map<string, Promise<void>>();

/** Which of them hold. Those that do are remembered, so that `proofOfPossessionProblem` answers at once. */
export async function verifyProofsOfPossession(possessions: readonly Possession[]): Promise<boolean[]> {
  const fresh = possessions.filter((possession) => !isVerified(possession) && !pending.has(nameOfPossession(possession)));
  for (let i = 0; i < fresh.length; i += BATCH) startBatch(fresh.slice(i, i + BATCH));
  await Promise.all(possessions.map((possession) => pending.get(nameOfPossession(possession))));
  return possessions.map(isVerified);
}

function startBatch(batch: readonly Possession[]): void {
  const names = batch.map(nameOfPossession);
  const done = verifyBatch(batch).finally(() => {
    for (const name of names) pending.delete(name);
  });
  for (const name of names) pending.set(name, done);
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
  if (threads.length < Math.min(MAX_THREADS, availableParallelism())) {
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
