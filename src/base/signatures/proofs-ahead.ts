/**
 * Verifies proofs of possession on other threads before their blocks are executed, so that execution finds them verified. The first call
 * starts the threads; they do not keep the process alive.
 */
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { isVerified, nameOfPossession, rememberVerified } from "./bls.ts";
import type { Possession } from "./possession-equation.ts";
import { startWorker } from "./start-worker.ts";

/** A batch shares one final exponentiation. A larger one gains little and delays the first result. */
const BATCH = 64;
const MAX_THREADS = 8;

/** A thread answers in the order of the requests. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];

  constructor() {
    this.#worker = startWorker("./possession-worker.js", import.meta.url);
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
    // while an answer is awaited, the process must stay alive
    this.#worker.ref();
    this.#worker.postMessage(possessions);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** After a thread has ended, its callers get the error and the next call starts another one. */
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
/** Proofs that are being verified or queued, by name. */
const pending = new Map<string, Promise<void>>();
let gathering: { readonly possessions: Possession[]; readonly done: Promise<void> } | undefined;

/** Returns which of them are valid. Valid ones are remembered, so `proofOfPossessionProblem` answers at once. */
export async function verifyProofsOfPossession(possessions: readonly Possession[]): Promise<boolean[]> {
  for (const possession of possessions) {
    const name = nameOfPossession(possession);
    if (!isVerified(possession) && !pending.has(name)) pending.set(name, enqueue(possession));
  }
  await Promise.all(possessions.map((possession) => pending.get(nameOfPossession(possession))));
  return possessions.map(isVerified);
}

/** A batch gathers the proofs of all calls in one turn, such as those of many decoded blocks. */
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
