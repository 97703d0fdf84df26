import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

const MAX_THREADS = 8;

/** Threads that work ahead of the main thread, which commits and needs a processor. */
export function defaultThreads(): number {
  return Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1));
}

/** Starts a worker thread from a module beside the caller's. @param module `./name.js` @param caller `import.meta.url` */
export function startWorker(module: string, caller: string): Worker {
  const url = new URL(module, caller);
  return caller.endsWith(".ts") ? startFromSource(url) : new Worker(url);
}

/** In development only: a thread does not inherit the loader for TypeScript. */
function startFromSource(url: URL): Worker {
  const source = JSON.stringify(url.href.replace(/js$/, "ts"));
  return new Worker(`import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`, { eval: true });
}
