import { once } from "node:events";
import type { CommandDefinition } from "./command.ts";
import type { Config, ConfigName } from "./config.ts";
import { openLog } from "./log.ts";

export const SERVE_KEYS = [
  "httpHost",
  "httpPort",
  "httpAllowedHosts",
  "httpAllowedOrigins",
  "workers",
  "time",
  "public",
  "requireApiKey",
  "rateLimits",
  "trustedProxies",
  "maxStaleness",
  "dataPageUtxos",
  "dataRealTypeNames",
  "healthCheckFrequency",
  "logLevel",
] as const satisfies readonly ConfigName[];

export const serveCommand: CommandDefinition = {
  usage: "serve",
  summary: "answer the node's JSON-RPC and the Data API from a store until stopped",
  keys: ["dataDir", ...SERVE_KEYS],
  examples: [
    "serve --data-dir data",
    "serve --data-dir data --http-host 0.0.0.0 --http-allowed-hosts node.example.org --public --workers 4",
  ],
  run: ({ config, signal }) => serveUntil(config, signal),
};

export async function serveUntil(config: Config, signal: AbortSignal): Promise<void> {
  const { serve } = await import("../server/serve.ts");
  const serving = await serve({
    dataDirectory: config.dataDir,
    httpHost: config.httpHost,
    httpPort: config.httpPort,
    allowedHosts: config.httpAllowedHosts,
    isPublic: config.public,
    time: config.time,
    workers: config.workers,
    access: { requiresKey: config.requireApiKey, rateLimits: config.rateLimits, trustedProxies: config.trustedProxies },
    allowedOrigins: config.httpAllowedOrigins,
    maxStalenessSeconds: config.maxStaleness === undefined ? undefined : config.maxStaleness / 1000,
    settings: { pageUtxos: config.dataPageUtxos, hasRealTypeNames: config.dataRealTypeNames },
    healthCheckFrequencyMs: config.healthCheckFrequency,
    log: openLog(config),
  });
  console.log(`serving ${serving.url} (JSON-RPC below /ext, Data API below /v1, its reference at ${serving.url}/docs)`);
  if (!signal.aborted) await once(signal, "abort");
  await serving.stop();
}
