/** The options of `firn serve`, and their defaults. */
import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { type AccessSettings, OPEN_TO_ALL } from "../api/access/access.ts";
import { type DataSettings, defaultDataSettings } from "../api/data/context.ts";
import { DEFAULT_LIMITS, type Limits } from "../base/limits.ts";
import type { PostgresAddress } from "../store/postgres/address.ts";
import { DEFAULT_LIMITS as DEFAULT_HEALTH_LIMITS, type HealthLimits } from "./health/health-checks.ts";

export interface ServeOptions {
  readonly dataDirectory: string;
  /** the database of the store; undefined: the store is in the data directory */
  readonly store?: PostgresAddress | undefined;
  /** standbys of that database: they are read in its place */
  readonly storeReplicas?: readonly PostgresAddress[] | undefined;
  readonly httpHost: string;
  /** 0 chooses a free port */
  readonly httpPort: number;
  readonly allowedHosts: readonly string[];
  /** origins of browser pages; by default all may read, and pages from this machine may also change state */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** closes Health, info.getNodeID, info.getNodeIP and info.getVMs, and leaves the Node-Id header out */
  readonly isPublic: boolean;
  /** serves the explorer at `/`; by default it does */
  readonly hasExplorer?: boolean;
  /** host:port that info.getNodeIP returns; by default none */
  readonly publicIp?: string;
  /** Unix seconds for answers that depend on the wall clock; undefined: the current time */
  readonly time?: bigint | undefined;
  /** number of serving processes; with 1 the calling process serves. By default one per processor */
  readonly workers?: number | undefined;
  readonly healthCheckFrequencyMs: number;
  readonly healthLimits?: Partial<HealthLimits>;
  /** bytes that each serving process may keep of answers that are computed once per height; by default an equal share of the total */
  readonly cacheBytes?: number;
  /** API keys and rate limits; by default open to all */
  readonly access?: AccessSettings;
  /** limits for requests, connections and the process */
  readonly limits?: Limits;
  /** settings of the Data API's answers */
  readonly settings?: DataSettings;
  /** the Data API answers 503 for a chain whose index is further behind its source, and replicas that lag more are left out; undefined: any age is served */
  readonly maxStalenessSeconds?: number | undefined;
  /** node URLs of each EVM chain, for data that is not indexed; by default none. Unused where the process follows the chains itself */
  readonly evmRpcs?: readonly (readonly string[])[];
  /** base URLs of nodes of the network, best first: they get issued transactions, and tell what only a node knows; by default none */
  readonly upstreams?: readonly string[] | undefined;
  readonly log: Logger;
}

export type CompleteServeOptions = Required<
  Omit<ServeOptions, "store" | "storeReplicas" | "healthLimits" | "workers" | "maxStalenessSeconds" | "allowedOrigins" | "upstreams">
> & {
  store: PostgresAddress | undefined;
  storeReplicas: readonly PostgresAddress[] | undefined;
  allowedOrigins: readonly string[] | undefined;
  maxStalenessSeconds: number | undefined;
  upstreams: readonly string[];
  healthLimits: HealthLimits;
  workers: number;
};

/** With more processes than this, each has too small a share of the operating system's cache and of the connections. */
const MOST_USEFUL_WORKERS = 16;
/** smallest cache per process: the answers that many clients ask for at one height fit into it */
const LEAST_CACHE_BYTES = 16 << 20;

export function completeOptions(options: ServeOptions): CompleteServeOptions {
  const workers = options.workers ?? Math.min(availableParallelism(), MOST_USEFUL_WORKERS);
  return {
    publicIp: "",
    hasExplorer: true,
    cacheBytes: Math.max(LEAST_CACHE_BYTES, Math.floor((options.limits ?? DEFAULT_LIMITS).keptBytes / workers)),
    access: OPEN_TO_ALL,
    limits: DEFAULT_LIMITS,
    settings: defaultDataSettings,
    evmRpcs: [],
    ...options,
    upstreams: options.upstreams ?? [],
    store: options.store,
    storeReplicas: options.storeReplicas,
    time: options.time,
    allowedOrigins: options.allowedOrigins,
    maxStalenessSeconds: options.maxStalenessSeconds,
    workers,
    healthLimits: { ...DEFAULT_HEALTH_LIMITS, ...options.healthLimits },
  };
}
