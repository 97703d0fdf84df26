/** What `firn serve` can be told. */
import type { Logger } from "pino";
import type { HealthLimits } from "./health-checks.ts";

export interface ServeOptions {
  readonly dataDirectory: string;
  readonly httpHost: string;
  /** 0 chooses a free one */
  readonly httpPort: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** closes Health, info.getNodeID, info.getNodeIP and info.getVMs, and leaves the Node-Id header out */
  readonly isPublic: boolean;
  /** host:port that info.getNodeIP tells */
  readonly publicIp: string;
  /** Unix seconds at which answers that depend on the wall clock are given; undefined: now */
  readonly time?: bigint | undefined;
  /** processes that serve; 1 serves in the calling one */
  readonly workers: number;
  readonly healthCheckFrequencyMs: number;
  readonly healthLimits: HealthLimits;
  /** bytes that each serving process may keep of answers made once per height */
  readonly cacheBytes: number;
  readonly log: Logger;
}

/** More processes than this share too little of the operating system's cache and of the connections. */
const MOST_USEFUL_WORKERS = 16;

/** One per processor. */
export function defaultWorkers(processors: number): number {
  return Math.max(1, Math.min(processors, MOST_USEFUL_WORKERS));
}

export const DEFAULT_CACHE_BYTES = 256 << 20;
