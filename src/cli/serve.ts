import { once } from "node:events";
import type { CommandDefinition } from "./command.ts";
import { type Config, type ConfigName, chainEntries } from "./config.ts";
import { openLog } from "./log.ts";
import { print } from "./print.ts";
import { STORE_KEYS } from "./store/store-keys.ts";

/** Configuration keys of all commands that answer requests. */
export const HTTP_KEYS = [
  "httpHost",
  "httpPort",
  "httpAllowedHosts",
  "httpAllowedOrigins",
  "public",
  "explorer",
  "requireApiKey",
  "rateLimits",
  "rateLimitScope",
  "limits",
  "trustedProxies",
  "maxStaleness",
  "dataPageUtxos",
  "dataRealTypeNames",
  "acceptBuilds",
  "signatureAggregator",
  "webhookTargets",
  "healthCheckFrequency",
  "logLevel",
] as const satisfies readonly ConfigName[];

export const serveCommand: CommandDefinition = {
  usage: "serve",
  summary: "serve the node's JSON-RPC and the Data API from a store until stopped",
  keys: [...STORE_KEYS, "storeReplica", "chains", "rpc", "upstream", "workers", "time", ...HTTP_KEYS],
  examples: [
    "serve --data-dir data",
    "serve --data-dir data --http-host 0.0.0.0 --http-allowed-hosts node.example.org --public --workers 4",
  ],
  async run({ config, signal }) {
    const [{ serve }, { storePlace, storeReplicas }] = await Promise.all([import("../serve/serve.ts"), import("./store/store-place.ts")]);
    const { dataDir, time, workers, upstream } = config;
    const evmRpcs = chainEntries(config).map(({ rpc }) => rpc);
    const { postgres } = storePlace(config);
    const place = { dataDirectory: dataDir, store: postgres?.address, storeReplicas: storeReplicas(config) };
    const options = { ...httpOptions(config), ...place, evmRpcs, upstreams: upstream, time, workers, log: openLog(config) };
    const serving = await serve(options);
    print(servingText(serving.url, config));
    if (!signal.aborted) await once(signal, "abort");
    await serving.stop();
  },
};

export function servingText(url: string, { explorer }: Pick<Config, "explorer">): string {
  return `serving ${url} (${explorer ? "explorer at /, " : ""}JSON-RPC below /ext, Data API below /v1, its reference at ${url}/docs)`;
}

/** Converts the `HTTP_KEYS` to the server's options. */
export function httpOptions(config: Pick<Config, (typeof HTTP_KEYS)[number]>) {
  return {
    httpHost: config.httpHost,
    httpPort: config.httpPort,
    allowedHosts: config.httpAllowedHosts,
    allowedOrigins: config.httpAllowedOrigins,
    isPublic: config.public,
    hasExplorer: config.explorer,
    access: {
      keyScope: config.requireApiKey,
      rateLimits: config.rateLimits,
      rateLimitScope: config.rateLimitScope,
      trustedProxies: config.trustedProxies,
    },
    limits: config.limits,
    maxStalenessSeconds: config.maxStaleness === undefined ? undefined : config.maxStaleness / 1000,
    settings: {
      pageUtxos: config.dataPageUtxos,
      hasRealTypeNames: config.dataRealTypeNames,
      acceptedBuilds: config.acceptBuilds ? ("proven" as const) : ("none" as const),
      signatureAggregator: config.signatureAggregator,
      webhookTargets: config.webhookTargets,
    },
    healthCheckFrequencyMs: config.healthCheckFrequency,
  };
}
