/** Results of health checks as the API shows them (rpc-avm-info-health 6.3). */
import type { JsonValue } from "../raw-json.ts";

/** Tag of checks that every filtered report includes. */
export const GLOBAL_TAG = "application";

export interface CheckResult {
  readonly message?: JsonValue;
  readonly error?: string;
  /** RFC 3339 */
  readonly timestamp: string;
  readonly durationNanoseconds: bigint;
  readonly contiguousFailures?: number;
  readonly timeOfFirstFailure?: string;
}

export interface HealthReport {
  readonly checks: ReadonlyMap<string, CheckResult>;
  readonly isHealthy: boolean;
}

/** The last results. Tags select checks that have at least one of them, plus the global ones; no tags select all. */
export interface HealthReports {
  health(tags: readonly string[]): HealthReport;
  readiness(tags: readonly string[]): HealthReport;
}
