import { type JsonObject, RawJson } from "../../base/json/go-encode.ts";
/**
 * Health reports in the API's form (rpc-avm-info-health 6.2, 6.3). The last results are plain data, so the process that runs the checks can
 * send them to those that answer.
 */

/** Tag of checks that every filtered report includes. */
export const GLOBAL_TAG = "application";
/** Tag that every check has implicitly. */
const ALL_TAG = "all";

/** The last result of one check. */
export interface StoredCheck {
  readonly name: string;
  readonly tags: readonly string[];
  readonly isPassing: boolean;
  /** the result in the API's form */
  readonly json: string;
}

/** The last results of all checks, sorted by name. */
export interface HealthReports {
  readonly health: readonly StoredCheck[];
  readonly readiness: readonly StoredCheck[];
}

interface HealthReport {
  readonly isHealthy: boolean;
  readonly json: JsonObject;
}

/** Selects checks with at least one of the tags, plus the global ones; without tags, all checks. */
export function healthReport(checks: readonly StoredCheck[], tags: readonly string[]): HealthReport {
  const selected = checks.filter((check) => tags.length === 0 || isSelected(check, tags));
  const isHealthy = selected.every(({ isPassing }) => isPassing);
  const results = Object.fromEntries(selected.map(({ name, json }) => [name, new RawJson(json)]));
  return { isHealthy, json: { checks: results, healthy: isHealthy } };
}

function isSelected(check: StoredCheck, tags: readonly string[]): boolean {
  return check.tags.includes(GLOBAL_TAG) || tags.some((tag) => tag === ALL_TAG || check.tags.includes(tag));
}
