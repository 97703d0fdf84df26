/** The GET forms of the Health API (rpc-avm-info-health 6.1): 200 or 503, and the report. */
import { JsonWriter } from "../rpc/go-json-encode.ts";
import { type HealthReports, healthReport, type StoredCheck } from "../rpc/health/report.ts";
import type { Endpoint, HttpResponse } from "./exchange.ts";

const REPORT_HEADERS = ["Content-Type", "application/json"] as const;

/** Answers any HTTP method. */
export function reportEndpoint(name: string, checks: () => readonly StoredCheck[]): Endpoint {
  return { name, handle: (_, query) => report(checks(), query) };
}

/** GET is the report, everything else JSON-RPC. */
export function healthEndpoint(reports: () => HealthReports, rpc: Endpoint): Endpoint {
  return {
    name: rpc.name,
    handle: (request, query) => (request.method === "GET" ? report(reports().health, query) : rpc.handle(request, query)),
  };
}

function report(checks: readonly StoredCheck[], query: string): HttpResponse {
  const tags = new URLSearchParams(query).getAll("tag");
  const { isHealthy, json } = healthReport(checks, tags);
  return { status: isHealthy ? 200 : 503, headers: REPORT_HEADERS, body: new JsonWriter().value(json).raw("\n").finish() };
}
