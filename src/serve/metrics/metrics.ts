/**
 * Counts a process's requests and responses, and writes them in Prometheus's text format. Worker processes send their counts to the primary
 * as plain objects; `mergeCounts` adds them up.
 */

import { LIMIT_NAMES, type LimitName } from "../../base/limits.ts";

/** Upper bounds in seconds. */
const BUCKETS_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface MethodCounts {
  succeeded: number;
  failed: number;
  seconds: number;
  /** one more bucket than there are bounds */
  buckets: number[];
}

/** Counts of one process, or the sum over several. Plain data, because they are sent between processes. */
export interface Counts {
  responses: Record<string, number>;
  methods: Record<string, MethodCounts>;
  /** number of refusals and closes, by the limit that caused them */
  refused: Partial<Record<LimitName, number>>;
}

export const NO_COUNTS: Counts = { responses: {}, methods: {}, refused: {} };

/** A value that is read when metrics are requested. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly type?: "gauge" | "counter";
  readonly values: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number | bigint }[];
}

export class RpcMetrics {
  readonly counts: Counts = { responses: {}, methods: {}, refused: {} };

  countResponse(endpoint: string, status: number): void {
    const name = `${endpoint} ${status}`;
    this.counts.responses[name] = (this.counts.responses[name] ?? 0) + 1;
  }

  countRefusal(limit: LimitName): void {
    this.counts.refused[limit] = (this.counts.refused[limit] ?? 0) + 1;
  }

  record(method: string, isError: boolean, seconds: number): void {
    this.counts.methods[method] ??= { succeeded: 0, failed: 0, seconds: 0, buckets: Array(BUCKETS_SECONDS.length + 1).fill(0) };
    const counts = this.counts.methods[method];
    if (isError) counts.failed++;
    else counts.succeeded++;
    counts.seconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS_SECONDS.length && seconds > BUCKETS_SECONDS[bucket]!) bucket++;
    counts.buckets[bucket]!++;
  }
}

export function mergeCounts(all: readonly Counts[]): Counts {
  const sum: Counts = { responses: {}, methods: {}, refused: {} };
  for (const { responses, methods, refused } of all) {
    for (const limit of LIMIT_NAMES) if (refused[limit] !== undefined) sum.refused[limit] = (sum.refused[limit] ?? 0) + refused[limit];
    for (const [name, count] of Object.entries(responses)) sum.responses[name] = (sum.responses[name] ?? 0) + count;
    for (const [name, counts] of Object.entries(methods)) {
      const known = sum.methods[name];
      if (known === undefined) {
        sum.methods[name] = { ...counts, buckets: [...counts.buckets] };
        continue;
      }
      known.succeeded += counts.succeeded;
      known.failed += counts.failed;
      known.seconds += counts.seconds;
      known.buckets = known.buckets.map((count, index) => count + counts.buckets[index]!);
    }
  }
  return sum;
}

/** The exposition format, version 0.0.4. */
export function expositionText(counts: Counts, gauges: readonly Gauge[]): string {
  const lines: string[] = [];
  const describe = (name: string, type: string, help: string) => lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  describe("firn_http_responses_total", "counter", "HTTP responses by endpoint and status.");
  for (const [name, count] of Object.entries(counts.responses)) {
    const [endpoint, status] = name.split(" ") as [string, string];
    lines.push(`firn_http_responses_total${labelText({ endpoint, status })} ${count}`);
  }
  describe("firn_http_refused_total", "counter", "Requests refused and connections closed, by the limit that they went beyond.");
  for (const [limit, count] of Object.entries(counts.refused)) lines.push(`firn_http_refused_total${labelText({ limit })} ${count}`);
  describe("firn_rpc_requests_total", "counter", "JSON-RPC requests by method and outcome.");
  for (const [method, { succeeded, failed }] of Object.entries(counts.methods)) {
    lines.push(`firn_rpc_requests_total${labelText({ method, outcome: "success" })} ${succeeded}`);
    lines.push(`firn_rpc_requests_total${labelText({ method, outcome: "error" })} ${failed}`);
  }
  describe("firn_rpc_duration_seconds", "histogram", "Time from a request's last byte to its answer, by method.");
  for (const [method, counted] of Object.entries(counts.methods)) lines.push(...histogramLines(method, counted));
  for (const { name, type, help, values } of gauges) {
    describe(name, type ?? "gauge", help);
    for (const { labels, value } of values) lines.push(`${name}${labelText(labels ?? {})} ${value}`);
  }
  return `${lines.join("\n")}\n`;
}

function histogramLines(method: string, counts: MethodCounts): string[] {
  let below = 0;
  const lines = counts.buckets.map((count, index) => {
    below += count;
    return `firn_rpc_duration_seconds_bucket${labelText({ method, le: `${BUCKETS_SECONDS[index] ?? "+Inf"}` })} ${below}`;
  });
  lines.push(`firn_rpc_duration_seconds_sum${labelText({ method })} ${counts.seconds}`);
  lines.push(`firn_rpc_duration_seconds_count${labelText({ method })} ${below}`);
  return lines;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
