/** What the process with the health checks and its workers say to each other. Plain data. */
import type { LoanRequest } from "../data/access/leased-meter.ts";
import type { Grant } from "../data/access/ledger.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import type { ProcessMetrics } from "./process-metrics.ts";
import type { CompleteServeOptions } from "./serve-options.ts";

export type ToWorker =
  | { readonly kind: "reports"; readonly reports: HealthReports }
  | { readonly kind: "metrics-wanted"; readonly request: number }
  | { readonly kind: "exposition"; readonly request: number; readonly text: string }
  | { readonly kind: "lent"; readonly request: number; readonly grants: readonly Grant[] }
  /** `isTaken` undefined: nothing indexes the chain at the moment */
  | { readonly kind: "reindexing"; readonly request: number; readonly isTaken: boolean | undefined }
  | { readonly kind: "stop" };

export type FromWorker =
  /** listens to messages from now on; earlier ones would be lost */
  | { readonly kind: "attentive" }
  | { readonly kind: "listening"; readonly url: string }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | { readonly kind: "metrics"; readonly request: number; readonly metrics: ProcessMetrics }
  | { readonly kind: "exposition-wanted"; readonly request: number }
  | { readonly kind: "loan-wanted"; readonly request: number; readonly wanted: LoanRequest }
  | { readonly kind: "reindex-wanted"; readonly request: number; readonly nft: NftName };

/** An NFT whose metadata is to be read again. Numbers are decimal. */
export interface NftName {
  readonly evmChainId: string;
  /** hex */
  readonly token: string;
  readonly tokenId: string;
}

/** Options as they cross the border: a logger is made anew, a bigint is text. */
export type WorkerOptions = Omit<CompleteServeOptions, "log" | "time"> & {
  readonly logLevel: string;
  readonly time?: string;
  /** the process that started the worker indexes EVM chains */
  readonly isFollowing: boolean;
};

/** Environment variable that holds a worker's options as JSON. */
export const WORKER_OPTIONS = "FIRN_WORKER_OPTIONS";
