/** The GET forms of the Health API (rpc-avm-info-health 6.1): status 200 or 503, with the report. */

import { type HealthReports, healthReport, type StoredCheck } from "../../api/state/health-report.ts";
import { JsonWriter } from "../../base/json/go-encode.ts";
import type { HttpResponse } from "../../http/exchange.ts";
import type { Endpoint } from "../request-account.ts";

const REPORT_HEADERS = ["Content-Type", "application/json"] as const;

/** Answers every HTTP method with the report. */
export function reportEndpoint(name: string, checks: () => readonly StoredCheck[]): Endpoint {
  return { name, leastUnits: 0, handle: (_, query) => report(checks(), query) };
}

/** Answers GET with the report, and everything else as JSON-RPC. */
export function healthEndpoint(reports: () => HealthReports, rpc: Endpoint): Endpoint {
  return {
    name: rpc.name,
    leastUnits: 0,
    handle: (request, query) => (request.method === "GET" ? report(reports().health, query) : rpc.handle(request, query)),
  };
}

function report(checks: readonly StoredCheck[], query: string): HttpResponse {
  const tags = new URLSearchParams(query).getAll("tag");
  const { isHealthy, json } = healthReport(checks, tags);
  return { status: isHealthy ? 200 : 503, headers: REPORT_HEADERS, body: new JsonWriter().value(json).raw("\n").finish() };
}
