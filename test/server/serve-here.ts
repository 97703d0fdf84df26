/** Serves a store in the process of the test, on a free port and without logs. */
import pino from "pino";
import { type Serving, serve } from "../../src/server/serve.ts";
import type { ServeOptions } from "../../src/server/serve-options.ts";

export function serveHere(dataDirectory: string, options: Partial<ServeOptions> = {}): Promise<Serving> {
  return serve({
    dataDirectory,
    httpHost: "127.0.0.1",
    httpPort: 0,
    allowedHosts: ["localhost"],
    isPublic: false,
    workers: 1,
    healthCheckFrequencyMs: 30_000,
    log: pino({ level: "silent" }),
    ...options,
  });
}
