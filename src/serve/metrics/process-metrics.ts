/** Metrics of every process, and metrics of the index, which the process that runs the health checks adds. */

import type { KeySpending } from "../../api/access/ledger.ts";
import type { IssuedCounts } from "../../api/live-node/live-node.ts";
import type { ChainProgress } from "../../api/state/chain-progress.ts";
import type { ChainHeight } from "../../api/state/committed-states.ts";
import type { HealthReports } from "../../api/state/health-report.ts";
import type { PlaceState } from "../../store/store.ts";
import type { WebhookCounts } from "../../webhooks/registry.ts";
import type { StoreDisk } from "../serving-store.ts";
import { type Counts, expositionText, type Gauge, mergeCounts } from "./metrics.ts";
import { NO_SOURCES, type SourceFacts, sourceGauges } from "./source-metrics.ts";

/** Plain data, because it is sent between processes. */
export interface ProcessMetrics {
  readonly name: string;
  readonly counts: Counts;
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  readonly uptimeSeconds: number;
}

export function processMetrics(name: string, counts: Counts): ProcessMetrics {
  const { user, system } = process.cpuUsage();
  return { name, counts, residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6, uptimeSeconds: process.uptime() };
}

/** Keys in metrics: enough to see who uses a server, few enough for those who store metrics. */
export const MOST_KEYS = 256;

/** Facts about the index: current heights; health and freshness as of the last pass of the checks. */
export interface IndexFacts {
  readonly chains: readonly Pick<ChainHeight, "alias" | "height">[];
  readonly reports: HealthReports;
  readonly progress: readonly ChainProgress[];
  /** absent: the blocks are made here */
  readonly sources?: SourceFacts;
  /** undefined: there is no node to pass transactions on to */
  readonly issued?: IssuedCounts | undefined;
  /** what keys spent today; absent: no limits are set, so nothing is counted */
  readonly keys?: readonly KeySpending[];
  /** absent: this server keeps no webhooks */
  readonly webhooks?: WebhookCounts | undefined;
  /** absent: unknown */
  readonly disk?: StoreDisk | undefined;
  /** of a store with replicas, as the process that runs the checks sees them */
  readonly places?: readonly PlaceState[];
}

export function exposition(processes: readonly ProcessMetrics[], index: IndexFacts): string {
  const { chains, reports, progress, sources = NO_SOURCES, issued, keys = [], webhooks, disk, places = [] } = index;
  const served = progress.filter(({ isServed }) => isServed);
  const perProcess = (value: (metrics: ProcessMetrics) => number) =>
    processes.map((metrics) => ({ labels: { process: metrics.name }, value: value(metrics) }));
  const gauges: Gauge[] = [
    {
      name: "firn_chain_height_blocks",
      help: "Height of the last block in the index.",
      values: chains.map(({ alias, height }) => ({ labels: { chain: alias }, value: height })),
    },
    {
      name: "firn_chain_behind_source_seconds",
      help: "Time by which the index lags its source; an archive at its end is 0 behind.",
      values: served.map(({ name, secondsBehind }) => ({ labels: { chain: name }, value: secondsBehind })),
    },
    {
      name: "firn_chain_behind_source_blocks",
      help: "Blocks that the chain's nodes are known to have and the index has not.",
      values: served.map(({ name, blocksBehind }) => ({ labels: { chain: name }, value: blocksBehind })),
    },
    {
      name: "firn_chain_problem_boolean",
      help: "1 while something keeps the chain from being indexed; health has the words.",
      values: served.map(({ name, problem }) => ({ labels: { chain: name }, value: problem === undefined ? 0 : 1 })),
    },
    {
      name: "firn_chain_last_block_age_seconds",
      help: "Time since the last block in the index was accepted.",
      values: served.flatMap(({ name, lastBlockAgeSeconds: age }) => (age === undefined ? [] : [{ labels: { chain: name }, value: age }])),
    },
    {
      name: "firn_chain_untraced_transactions",
      help: "Transactions of an EVM chain that lack their call trace, up to 1000.",
      values: served.flatMap(({ name, untraced }) => (untraced === undefined ? [] : [{ labels: { chain: name }, value: untraced }])),
    },
    {
      name: "firn_health_check_passing_boolean",
      help: "1 if the check passed when it ran last.",
      values: reports.health.map(({ name, isPassing }) => ({ labels: { check: name }, value: isPassing ? 1 : 0 })),
    },
    ...sourceGauges(sources),
    ...issuedGauges(issued),
    {
      name: "firn_key_spent_today_units",
      help: `Compute units that an API key has spent since midnight UTC, by the key's ID: of the ${MOST_KEYS} keys that spent most. Counted under limits.`,
      values: keys.map(({ keyId, units }) => ({ labels: { key: keyId }, value: units })),
    },
    {
      name: "firn_webhooks",
      help: "Webhooks by whether they are on: active, or off because a client or a failure switched them off.",
      values: webhooks
        ? [
            { labels: { state: "active" }, value: webhooks.active },
            { labels: { state: "off" }, value: webhooks.off },
          ]
        : [],
    },
    {
      name: "firn_waiting_webhook_messages",
      help: "Messages of active webhooks that are not delivered yet.",
      values: gaugeOf(webhooks?.waiting),
    },
    {
      name: "firn_store_size_bytes",
      help: "Size of the store's files, or of its database.",
      values: disk ? [{ value: disk.storeBytes }] : [],
    },
    ...placeGauges(places),
    { name: "firn_disk_size_bytes", help: "Size of the disk that has the store.", values: gaugeOf(disk?.totalBytes) },
    {
      name: "firn_disk_available_bytes",
      help: "What is free on the disk that has the store.",
      values: gaugeOf(disk?.availableBytes),
    },
    { name: "firn_process_resident_bytes", help: "Memory of a process.", values: perProcess(({ residentBytes }) => residentBytes) },
    {
      name: "firn_process_cpu_seconds_total",
      type: "counter",
      help: "CPU time of a process.",
      values: perProcess(({ cpuSeconds }) => cpuSeconds),
    },
    { name: "firn_process_uptime_seconds", help: "Age of a process.", values: perProcess(({ uptimeSeconds }) => uptimeSeconds) },
  ];
  return expositionText(mergeCounts(processes.map(({ counts }) => counts)), gauges);
}

function gaugeOf(value: bigint | number | undefined): Gauge["values"] {
  return value === undefined ? [] : [{ value }];
}

/** Metrics may be public, so they name places by their numbers, not by their addresses. */
function placeGauges(places: readonly PlaceState[]): Gauge[] {
  return [
    {
      name: "firn_store_place_usable_boolean",
      help: "1 while the store's database, or a replica of it, is fit to be read; health has the reason if it is not.",
      values: places.map(({ name, problem }) => ({ labels: { place: name }, value: problem === undefined ? 1 : 0 })),
    },
    {
      name: "firn_store_place_lag_seconds",
      help: "Time by which a replica of the store's database is behind it.",
      values: places.flatMap(({ name, lagSeconds: lag }) => (lag === undefined ? [] : [{ labels: { place: name }, value: lag }])),
    },
  ];
}

function issuedGauges(issued: IssuedCounts | undefined): Gauge[] {
  const { followed, ...outcomes } = issued ?? { followed: undefined };
  return [
    {
      name: "firn_issued_transactions_total",
      type: "counter",
      help: "Issued transactions that were verified and passed on to nodes: taken, refused by a node, or unanswered.",
      values: Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      name: "firn_issued_followed_transactions",
      help: "Transactions passed on to nodes whose status is still asked of them, up to 4096.",
      values: followed === undefined ? [] : [{ value: followed }],
    },
  ];
}
