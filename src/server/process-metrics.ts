/** What every process tells about itself, and what the one with the health checks tells about the index. */
import type { HealthReports } from "../rpc/health/report.ts";
import type { ChainProgress } from "./chain-progress.ts";
import type { ChainHeight } from "./committed-states.ts";
import { type Counts, expositionText, type Gauge, mergeCounts } from "./metrics.ts";

/** Plain data: it crosses process borders. */
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

/** What is told of the index: heights as they are, health and freshness as of the last pass of the checks. */
export interface IndexFacts {
  readonly chains: readonly Pick<ChainHeight, "alias" | "height">[];
  readonly reports: HealthReports;
  readonly progress: readonly ChainProgress[];
}

export function exposition(processes: readonly ProcessMetrics[], { chains, reports, progress }: IndexFacts): string {
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
      name: "firn_chain_last_block_age_seconds",
      help: "Time since the last block in the index was accepted.",
      values: served.flatMap(({ name, lastBlockAgeSeconds: age }) => (age === undefined ? [] : [{ labels: { chain: name }, value: age }])),
    },
    {
      name: "firn_health_check_passing_boolean",
      help: "1 if the check passed when it ran last.",
      values: reports.health.map(({ name, isPassing }) => ({ labels: { check: name }, value: isPassing ? 1 : 0 })),
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
