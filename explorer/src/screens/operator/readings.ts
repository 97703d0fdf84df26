/**
 * Reads what the server says of itself while the screen is open and its tab is seen: metrics every 5 s, health every 15 s. A server that does not
 * tell its node ID is public, and has no `/ext/health`: it is not asked for it.
 */
import { useQuery } from "@tanstack/preact-query";
import { useRef } from "preact/hooks";
import { answerOf, data, readText, rpc } from "../../api/client.ts";
import { type Metrics, readMetrics } from "./prometheus.ts";

const METRICS_MS = 5000;
const HEALTH_MS = 15_000;

export interface Reading {
  readonly metrics: Metrics;
  /** of this page's clock, in milliseconds */
  readonly at: number;
}

/** The newest metrics, and those before; the difference makes rates. */
export function useMetrics() {
  const answer = useQuery<Reading>({
    queryKey: ["metrics"],
    queryFn: async () => ({ metrics: readMetrics(await readText("metrics")), at: performance.now() }),
    staleTime: METRICS_MS,
    refetchInterval: METRICS_MS,
    structuralSharing: false,
    // the readings before this screen was opened make no rate
    gcTime: 0,
  });
  const readings = useRef<{ before: Reading | undefined; newest: Reading | undefined }>({ before: undefined, newest: undefined });
  if (answer.data !== undefined && answer.data !== readings.current.newest) {
    readings.current = { before: readings.current.newest, newest: answer.data };
  }
  return { ...answer, before: readings.current.before };
}

export interface Check {
  readonly name: string;
  readonly isPassing: boolean;
  /** why it fails, in its own words */
  readonly error?: string | undefined;
  readonly message?: unknown;
  /** RFC 3339 */
  readonly timestamp?: string | undefined;
  readonly contiguousFailures?: number | undefined;
  readonly timeOfFirstFailure?: string | undefined;
}

export interface Health {
  readonly checks: readonly Check[];
  /** false: the server tells the checks' names only */
  readonly hasDetails: boolean;
}

export function useHealth() {
  return useQuery<Health>({ queryKey: ["health"], queryFn: readHealth, staleTime: HEALTH_MS, refetchInterval: HEALTH_MS });
}

type NodeReport = Readonly<Record<string, Omit<Check, "name" | "isPassing">>>;

async function readHealth(): Promise<Health> {
  if (await isPublic()) {
    const { details } = await answerOf(data.GET("/v1/health-check"));
    return { hasDetails: false, checks: Object.entries(details).map(([name, { status }]) => ({ name, isPassing: status === "up" })) };
  }
  const { checks } = await rpc<{ checks: NodeReport }>("health", "health.health");
  return {
    hasDetails: true,
    checks: Object.entries(checks).map(([name, check]) => ({ ...check, name, isPassing: check.error === undefined })),
  };
}

let knownPublic: boolean | undefined;

/** Asked once. A path that does not exist would be an error in the browser's console; a method that does not is none. */
async function isPublic(): Promise<boolean> {
  knownPublic ??= await rpc("info", "info.getNodeID").then(
    () => false,
    (error: unknown) => error instanceof Error && error.message.includes("can't find method"),
  );
  return knownPublic;
}
