/**
 * Verifies proofs of possession on other threads before their blocks are executed, so that execution finds them verified. The first call
 * starts the threads; they do not keep the process alive.
 */
import { availableParallelism } from "node:os";
import { AnsweringThread } from "./answering-thread.ts";
import { isVerified, nameOfPossession, rememberVerified } from "./bls.ts";
import type { Possession } from "./possession-equation.ts";
import { startWorker } from "./start-worker.ts";

/** A batch shares one final exponentiation. A larger one gains little and delays the first result. */
const BATCH = 64;
const MAX_THREADS = 8;

type Thread = AnsweringThread<readonly Possession[], boolean[]>;

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
      const results = await leastBusyThread().ask(possessions);
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
    const thread: Thread = new AnsweringThread(startWorker("./possession-worker.js", import.meta.url), () => {
      // the next call starts another one
      const index = threads.indexOf(thread);
      if (index !== -1) threads.splice(index, 1);
    });
    threads.push(thread);
    return thread;
  }
  return threads.reduce((least, thread) => (thread.load < least.load ? thread : least));
}
