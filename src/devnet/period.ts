/**
 * Parses periods and times as users type them for a devnet: `90s`, `10m`, `1d12h`, `1y`; `2026-12-01T00:00:00Z`, `2026-12-01` or Unix
 * seconds.
 */

import { FirnError } from "../base/errors/errors.ts";
import { parseTime } from "../network/go-time.ts";

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 };
const PERIOD = /^(\d+[smhdwy])+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const PERIOD_EXPECTED = "a period such as 90s, 10m, 1d12h or 1y";
export const TIME_EXPECTED = "a time such as 2026-12-01T00:00:00Z, 2026-12-01 or Unix seconds";

/** Returns seconds. A number without a unit means seconds. */
export function parsePeriod(text: string): bigint {
  if (/^\d+$/.test(text)) return BigInt(text);
  if (!PERIOD.test(text)) throw new FirnError("period", `${JSON.stringify(text)} is not a period; use ${PERIOD_EXPECTED}`, { text });
  const parts = text.matchAll(/(\d+)([smhdwy])/g);
  return [...parts].reduce((sum, [, count, unit]) => sum + BigInt(count!) * BigInt(UNIT_SECONDS[unit!]!), 0n);
}

/** Returns Unix seconds. */
export function parseMoment(text: string): bigint {
  if (/^\d+$/.test(text)) return BigInt(text);
  try {
    return parseTime(DATE.test(text) ? `${text}T00:00:00Z` : text);
  } catch (error) {
    throw new FirnError("moment", `${JSON.stringify(text)} is not a time; use ${TIME_EXPECTED}`, { text }, { cause: error });
  }
}
