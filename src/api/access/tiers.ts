/** What a key permits: its tier determines the compute units, its privileges the kinds of routes. */
import type { JsonSchema } from "../../base/json/json-members.ts";

/** Requests without a key have the first tier; `unlimited` is for keys only. */
const TIERS = ["unauthenticated", "free", "base", "growth", "pro", "unlimited"] as const;
export type Tier = (typeof TIERS)[number];
export const KEY_TIERS = TIERS.slice(1);

/** `read`: all routes except those that change something, which need `write`. */
export const PRIVILEGES = ["read", "write"] as const;
export type Privilege = (typeof PRIVILEGES)[number];

/** Compute units; an absent number means no limit. */
export interface Limit {
  readonly perMinute?: number;
  readonly perDay?: number;
}

/** Absent tiers have no limit. */
export type RateLimits = Readonly<Partial<Record<Tier, Limit>>>;

export const NO_LIMITS: RateLimits = {};

/** The hosted service's limits (data-api 10). */
export const HOSTED_LIMITS: RateLimits = {
  unauthenticated: { perMinute: 6_000, perDay: 1_200_000 },
  free: { perMinute: 8_000, perDay: 2_000_000 },
  base: { perMinute: 10_000, perDay: 3_750_000 },
  growth: { perMinute: 14_000, perDay: 11_200_000 },
  pro: { perMinute: 20_000, perDay: 25_000_000 },
};

export const RATE_LIMITS_EXPECTED =
  "off, hosted (the hosted service's numbers), or compute units per minute and day of tiers, e.g. unauthenticated=600/10000,free=6000";

const LIMITED_TIERS = TIERS.filter((tier) => tier !== "unlimited");
const units = { type: "integer", minimum: 0 };
const limit = { type: "object", properties: { perMinute: units, perDay: units }, additionalProperties: false, minProperties: 1 };

/** An object of tiers, or a text that {@link parseRateLimits} reads. */
export const rateLimitsSchema: JsonSchema = {
  type: ["string", "object"],
  properties: Object.fromEntries(LIMITED_TIERS.map((tier) => [tier, limit])),
  additionalProperties: false,
  minProperties: 1,
};

/** Parses `off`, `hosted`, `free=6000/100000` (per minute/per day, either may be omitted), or an object of tiers from a file. */
export function parseRateLimits(value: unknown): RateLimits | undefined {
  if (value === "off") return NO_LIMITS;
  if (value === "hosted") return HOSTED_LIMITS;
  const pairs = typeof value === "string" ? value.split(",").map(parsePair) : Object.entries((value as object | null) ?? {});
  const isValid = pairs.length > 0 && pairs.every(([tier, limit]) => KNOWN_TIERS.has(tier) && isLimit(limit));
  return isValid && new Set(pairs.map(([tier]) => tier)).size === pairs.length ? Object.fromEntries(pairs) : undefined;
}

const KNOWN_TIERS: ReadonlySet<string> = new Set(LIMITED_TIERS);

function parsePair(text: string): [tier: string, limit: unknown] {
  const [, tier = "", perMinute = "", perDay] = /^([a-z]+)=(\d*)(?:\/(\d+))?$/.exec(text.trim()) ?? [];
  return [tier, { ...(perMinute !== "" && { perMinute: Number(perMinute) }), ...(perDay !== undefined && { perDay: Number(perDay) }) }];
}

function isLimit(value: unknown): value is Limit {
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(([name, units]) => (name === "perMinute" || name === "perDay") && Number.isSafeInteger(units) && units >= 0)
  );
}
