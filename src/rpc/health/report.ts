/**
 * Health reports as the API shows them (rpc-avm-info-health 6.2, 6.3). The last results are plain data, so that the process that runs
 * the checks can hand them to the ones that answer.
 */
import { type JsonObject, RawJson } from "../raw-json.ts";

/** Tag of checks that every filtered report includes. */
export const GLOBAL_TAG = "application";
/** Every check has it without being given it. */
const ALL_TAG = "all";

/** The last result of one check. */
export interface StoredCheck {
  readonly name: string;
  readonly tags: readonly string[];
  readonly isPassing: boolean;
  /** the result as the API shows it */
  readonly json: string;
}

/** The last results of all checks, sorted by name. */
export interface HealthReports {
  readonly health: readonly StoredCheck[];
  readonly readiness: readonly StoredCheck[];
}

export interface HealthReport {
  readonly isHealthy: boolean;
  readonly json: JsonObject;
}

/** Tags select checks that have at least one of them, plus the global ones; no tags select all. */
export function healthReport(checks: readonly StoredCheck[], tags: readonly string[]): HealthReport {
  const selected = checks.filter((check) => tags.length === 0 || isSelected(check, tags));
  const isHealthy = selected.every(({ isPassing }) => isPassing);
  const results = Object.fromEntries(selected.map(({ name, json }) => [name, new RawJson(json)]));
  return { isHealthy, json: { checks: results, healthy: isHealthy } };
}

function isSelected(check: StoredCheck, tags: readonly string[]): boolean {
  return check.tags.includes(GLOBAL_TAG) || tags.some((tag) => tag === ALL_TAG || check.tags.includes(tag));
}
