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
/** Being verified, or about to be, by name. */
const pending = new Map<string, Promise<void>>();
let gathering: { readonly possessions: Possession[]; readonly done: Promise<void> } | undefined;

/** Which of them hold. Those that do are remembered, so that `proofOfPossessionProblem` answers at once. */
export async function verifyProofsOfPossession(possessions: readonly Possession[]): Promise<boolean[]> {
  for (const possession of possessions) {
    const name = nameOfPossession(possession);
    if (!isVerified(possession) && !pending.has(name)) pending.set(name, enqueue(possession));
  }
  await Promise.all(possessions.map((possession) => pending.get(nameOfPossession(possession))));
  return possessions.map(isVerified);
}

/** Batches gather what all calls of one turn ask for: the proofs of many decoded blocks. */
function enqueue(possession: Possession): Promise<void> {
  if (gathering === undefined || gathering.possessions.length === BATCH) gathering = startBatch();
  gathering.possessions.push(possession);
  return gathering.done;
}

function startBatch(): NonNullable<typeof gathering> {
  const possessions: Possession[] = [];
  const done = Promise.resolve().then(async () => {
    gathering = undefined;
    try {
      const results = await leastBusyThread().verify(possessions);
      for (const [i, possession] of possessions.entries()) if (results[i]) rememberVerified(possession);
    } finally {
      for (const possession of possessions) pending.delete(nameOfPossession(possession));
    }
  });
  return { possessions, done };
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
