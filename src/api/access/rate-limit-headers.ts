/** Response headers for rate limits (data-api 10): those of the window with less left, and after a refusal the time to wait. */
import { DAY_MS, MINUTE_MS } from "./ledger.ts";
import type { Spending } from "./meter.ts";
import type { Limit } from "./tiers.ts";

interface Window {
  readonly name: string;
  readonly limit: number;
  readonly left: number;
  readonly ms: number;
}

/** Names and values, alternating, and the reason if the client was refused. */
export function rateLimitHeaders(
  { perMinute, perDay }: Limit,
  { isAdmitted, minuteLeft, dayLeft }: Spending,
  units: number,
  now: number,
): { headers: string[]; refusal?: string } {
  const windows: Window[] = [];
  if (perMinute !== undefined) windows.push({ name: "minute", limit: perMinute, left: minuteLeft, ms: MINUTE_MS });
  if (perDay !== undefined) windows.push({ name: "day", limit: perDay, left: dayLeft, ms: DAY_MS });
  const tightest = windows.reduce((least, window) => (window.left <= least.left ? window : least));
  const policy = windows.map(({ limit, ms }) => `${limit};w=${ms / 1000}`).join(", ");
  const headers = [
    ...["ratelimit-policy", policy],
    ...["ratelimit-limit", tightest.limit.toString()],
    ...["ratelimit-remaining", tightest.left.toString()],
  ];
  if (isAdmitted) return { headers };
  const { name, limit, left, ms } = windows.findLast((window) => window.left < units) ?? tightest;
  const seconds = Math.ceil((ms - (now % ms)) / 1000).toString();
  return {
    headers: [...headers, "ratelimit-reset", seconds, "retry-after", seconds],
    refusal:
      units > limit
        ? `this costs ${units} compute units, but the limit per ${name} is ${limit}; use a key of a higher tier`
        : `this costs ${units} compute units, but only ${left} of the ${limit} for this ${name} are left; try again in ${seconds} s`,
  };
}
