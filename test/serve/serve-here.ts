/** Serves a store in the process of the test, on a free port and without logs. */
import "../store/bound-reads.ts";
import pino from "pino";
import { type Serving, serve, serveStore } from "../../src/serve/serve.ts";
import type { ServeOptions } from "../../src/serve/serve-options.ts";
import type { ServingStore } from "../../src/serve/serving-store.ts";

export function serveHere(dataDirectory: string, options: Partial<ServeOptions> = {}): Promise<Serving> {
  return serve(optionsHere(dataDirectory, options));
}

/** A store that this process has open for writing. */
export function serveStoreHere(store: ServingStore, dataDirectory: string, options: Partial<ServeOptions> = {}): Promise<Serving> {
  return serveStore(store, optionsHere(dataDirectory, options));
}

function optionsHere(dataDirectory: string, options: Partial<ServeOptions>): ServeOptions {
  return {
    dataDirectory,
    httpHost: "127.0.0.1",
    httpPort: 0,
    allowedHosts: ["localhost"],
    isPublic: false,
    workers: 1,
    healthCheckFrequencyMs: 30_000,
    log: pino({ level: "silent" }),
    ...options,
  };
}
