/** The calls between workers and the process that runs the health checks. Arguments and results are plain data. */

import type { LoanRequest } from "../../api/access/leased-meter.ts";
import type { Grant } from "../../api/access/ledger.ts";
import type { DataStatus } from "../../api/data/errors.ts";
import type { WebhookDesk } from "../../api/data/webhooks/webhook-desk.ts";
import type { LiveNode } from "../../api/live-node/live-node.ts";
import type { HealthReports } from "../../api/state/health-report.ts";
import type { ErrorCode } from "../../base/errors/error-codes.ts";
import type { ProcessMetrics } from "../metrics/process-metrics.ts";
import type { CompleteServeOptions } from "../serve-options.ts";

/** Calls into a worker. */
export interface WorkerCalls {
  /** @param reports results of the newest pass */
  reports(reports: HealthReports): void;
  metrics(): ProcessMetrics;
  stop(): void;
}

/** Calls from a worker into the process that started it, which also has the connections to nodes. */
export interface PrimaryCalls extends LiveNode {
  /** the newest results; waits for the first ones */
  reports(): Promise<HealthReports>;
  listening(url: string): void;
  failed(code: ErrorCode, message: string): void;
  /** metrics of all processes in Prometheus's text format */
  exposition(): Promise<string>;
  lend(wanted: LoanRequest): readonly Grant[];
  /** Calls a method of the webhooks' desk. A refusal is a value, since errors do not cross processes whole. */
  webhooks(method: keyof WebhookDesk, args: readonly unknown[]): Promise<WebhookReply>;
  /** undefined if nothing currently indexes the chain */
  reindexNft(nft: NftName): Promise<boolean | undefined>;
}

export type WebhookReply = { readonly value: unknown } | { readonly refusal: { readonly status: DataStatus; readonly message: string } };

/** An NFT whose metadata is to be read again. Numbers are decimal. */
export interface NftName {
  readonly evmChainId: string;
  /** hex */
  readonly token: string;
  readonly tokenId: string;
}

/** Options as they are sent to a worker: the logger is left out, and the bigint is text. */
export type WorkerOptions = Omit<CompleteServeOptions, "log" | "time"> & {
  readonly logLevel: string;
  readonly time?: string;
  /** whether the process that started the worker indexes EVM chains */
  readonly isFollowing: boolean;
  /** whether it keeps webhooks */
  readonly hasWebhooks: boolean;
};

/** Environment variable that holds a worker's options as JSON. */
export const WORKER_OPTIONS = "FIRN_WORKER_OPTIONS";
