/**
 * Access as the operator configured it. A request names itself by a key or is known by its address; the key gives tier and privileges,
 * the tier the limits.
 */
import type { AccessControl, AccessRequest, Admission } from "../access-control.ts";
import { badRequest, DataError } from "../errors.ts";
import { clientOfAddress } from "./client-address.ts";
import type { ApiKey } from "./key-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { KEY_PREFIX } from "./ledger.ts";
import type { Meter, Spending } from "./meter.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import { type Limit, NO_LIMITS, type RateLimits, type Tier } from "./tiers.ts";

/** What the operator configures. Plain data: it crosses process borders. */
export interface AccessSettings {
  /** requests without a key are refused */
  readonly requiresKey: boolean;
  readonly rateLimits: RateLimits;
  /** addresses and networks of proxies whose X-Forwarded-For names the client */
  readonly trustedProxies: readonly string[];
}

export const OPEN_TO_ALL: AccessSettings = { requiresKey: false, rateLimits: NO_LIMITS, trustedProxies: [] };

export interface AccessOptions {
  readonly keys: KeyRing;
  readonly requiresKey: boolean;
  readonly limits: RateLimits;
  readonly meter: Meter;
  /** milliseconds */
  readonly now: () => number;
}

export function accessControl(options: AccessOptions): AccessControl {
  const { limits, meter, now } = options;
  return {
    admit(request) {
      const units = request.computeUnits;
      if (units === 0) return { headers: [] };
      const holder = holderOf(request, options);
      if (holder instanceof DataError) return { headers: [], error: holder };
      const tier: Tier = holder?.tier ?? "unauthenticated";
      const limit = limits[tier];
      if (limit === undefined) return { headers: [] };
      const client = holder === undefined ? clientOfAddress(request.ip) : KEY_PREFIX + holder.id;
      const spending = meter.spend(client, tier, units);
      if (spending instanceof Promise) return spending.then((made) => admission(limit, made, units, now()));
      return admission(limit, spending, units, now());
    },
  };
}

/** The key that the request holds; undefined for one without, if there may be such. */
function holderOf({ keys, privilege = "read" }: AccessRequest, { keys: ring, requiresKey }: AccessOptions): ApiKey | undefined | DataError {
  const [key, other = key] = keys.filter((value) => value !== "");
  if (other !== key) return badRequest("x-data-api-key and x-glacier-api-key hold different keys; send one of them");
  if (key === undefined || ring.isEmpty) {
    return requiresKey ? new DataError(401, "an API key is needed here; send it in the header x-data-api-key") : undefined;
  }
  const holder = ring.find(key);
  if (holder === undefined) return new DataError(401, "the API key is unknown here; use one that the operator of this server made");
  if (holder.revokedAt !== undefined) return new DataError(403, `the API key ${holder.id} is revoked; use another`);
  if (holder.privileges.some((held) => held === privilege)) return holder;
  return new DataError(403, `the API key ${holder.id} lacks the privilege ${privilege}; use one that has it`);
}

function admission(limit: Limit, spending: Spending, units: number, now: number): Admission {
  const { headers, refusal } = rateLimitHeaders(limit, spending, units, now);
  return refusal === undefined ? { headers } : { headers, error: new DataError(429, refusal) };
}
