/** Health in the form that clients of the API read: which checks are up, which are down. */
import Type, { type Static } from "typebox";
import type { StoredCheck } from "../../state/health-report.ts";
import { namedObject } from "../named-object.ts";

const indicators = Type.Record(
  Type.String(),
  namedObject("HealthIndicatorResultDto", { status: Type.Union([Type.Literal("up"), Type.Literal("down")]) }),
);

export const healthSchema = namedObject("HealthCheckResultDto", {
  status: Type.Union([Type.Literal("ok"), Type.Literal("error")], { description: "`error` if any check fails, e.g. when the index lags." }),
  info: indicators,
  error: indicators,
  details: indicators,
});
type Health = Static<typeof healthSchema>;

/** `info` has the checks that pass, `error` those that fail, `details` all. */
export function healthOf(checks: readonly StoredCheck[]): Health {
  const named = (chosen: readonly StoredCheck[]): Health["details"] =>
    Object.fromEntries(chosen.map(({ name, isPassing }) => [name, { status: isPassing ? ("up" as const) : ("down" as const) }]));
  const failing = checks.filter(({ isPassing }) => !isPassing);
  return {
    status: failing.length === 0 ? "ok" : "error",
    info: named(checks.filter(({ isPassing }) => isPassing)),
    error: named(failing),
    details: named(checks),
  };
}
