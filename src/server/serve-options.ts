/** What `firn serve` can be told, and what it does if it is not. */
import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { type AccessSettings, OPEN_TO_ALL } from "../data/access/access.ts";
import { type DataSettings, defaultDataSettings } from "../data/context.ts";
import { DEFAULT_LIMITS, type HealthLimits } from "./health-checks.ts";

export interface ServeOptions {
  readonly dataDirectory: string;
  readonly httpHost: string;
  /** 0 chooses a free one */
  readonly httpPort: number;
  readonly allowedHosts: readonly string[];
  /** of browsers' requests; by default all */
  readonly allowedOrigins?: readonly string[];
  /** closes Health, info.getNodeID, info.getNodeIP and info.getVMs, and leaves the Node-Id header out */
  readonly isPublic: boolean;
  /** host:port that info.getNodeIP tells; by default none */
  readonly publicIp?: string;
  /** Unix seconds at which answers that depend on the wall clock are given; undefined: now */
  readonly time?: bigint | undefined;
  /** processes that serve; 1 serves in the calling one. By default one per processor */
  readonly workers?: number | undefined;
  readonly healthCheckFrequencyMs: number;
  readonly healthLimits?: Partial<HealthLimits>;
  /** bytes that each serving process may keep of answers made once per height */
  readonly cacheBytes?: number;
  /** to the Data API: keys, limits; by default open to all */
  readonly access?: AccessSettings;
  /** of the Data API's answers */
  readonly settings?: DataSettings;
  /** the Data API answers 503 for a chain whose index is further behind its source; undefined: it serves any age */
  readonly maxStalenessSeconds?: number | undefined;
  /** URLs of the nodes of each EVM chain, for what is not indexed; by default none. Of no use where the process follows the chains itself */
  readonly evmRpcs?: readonly (readonly string[])[];
  readonly log: Logger;
}

export type CompleteServeOptions = Required<Omit<ServeOptions, "healthLimits" | "workers" | "maxStalenessSeconds">> & {
  maxStalenessSeconds: number | undefined;
  healthLimits: HealthLimits;
  workers: number;
};

/** More processes than this share too little of the operating system's cache and of the connections. */
const MOST_USEFUL_WORKERS = 16;
const DEFAULT_CACHE_BYTES = 256 << 20;

export function completeOptions(options: ServeOptions): CompleteServeOptions {
  return {
    allowedOrigins: ["*"],
    publicIp: "",
    cacheBytes: DEFAULT_CACHE_BYTES,
    access: OPEN_TO_ALL,
    settings: defaultDataSettings,
    evmRpcs: [],
    ...options,
    time: options.time,
    maxStalenessSeconds: options.maxStalenessSeconds,
    workers: options.workers ?? Math.min(availableParallelism(), MOST_USEFUL_WORKERS),
    healthLimits: { ...DEFAULT_LIMITS, ...options.healthLimits },
  };
}
