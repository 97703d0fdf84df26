/**
 * Access control as the operator configured it. A request is identified by its key or its address. The key determines tier and privileges;
 * the tier determines the limits.
 */

import { clientOfAddress } from "../../http/client-of-request.ts";
import type { ApiKey } from "./key-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { DAY_MS, KEY_PREFIX, MINUTE_MS } from "./ledger.ts";
import type { Meter, Spending } from "./meter.ts";
import { type Limit, NO_LIMITS, type RateLimits, type Tier } from "./tiers.ts";

/** The headers that can contain an API key. Official SDKs use one or the other. */
export const KEY_HEADERS = ["x-data-api-key", "x-glacier-api-key"] as const;

/** The keys of a request; headers that were not sent are left out. */
export function keysOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string[] {
  return KEY_HEADERS.map((name) => headers[name]).filter((key) => typeof key === "string");
}

/**
 * Decides who may ask, and how much, before any work is done for a request. The interfaces read the key and the address from the request,
 * and report refusals in their own form.
 */
export interface AccessRequest {
  /** values of the headers `x-data-api-key` and `x-glacier-api-key`, without those that were not sent */
  readonly keys: readonly string[];
  /** address of the client's connection, or from the header that the operator trusts */
  readonly ip: string;
  /** privilege that the key needs; by default none beyond a valid key */
  readonly privilege?: string;
}

export interface Admission {
  /** names and values, alternating, in lower case: `ratelimit-limit`, `retry-after` …; for every response to this request */
  readonly headers: readonly string[];
  /** set if the request is refused */
  readonly refusal?: Refusal;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 429;
  /** says what was wrong and what would be right */
  readonly message: string;
}

/** A client's account, for the duration of a request. */
export interface Account {
  /** Returns a promise only if another process must be asked. Never rejects. */
  spend(computeUnits: number): Admission | Promise<Admission>;
  /** Predicts the answer of `spend` from what this process knows. Spends nothing. */
  foresee(computeUnits: number): Admission;
}

/** Whether a key makes no difference, may change the limits, or is needed. */
export type KeyUse = "none" | "optional" | "required";

export interface AccessControl {
  readonly keyUse: KeyUse;
  /** Opens the account of a client that may ask; whether it can pay is not checked. */
  open(request: AccessRequest): Account | Refusal;
  /** Opens the account and spends from it. Requests that cost nothing are open to everybody. */
  admit(request: AccessRequest, computeUnits: number): Admission | Promise<Admission>;
  /** Whose request it is, for routes with something of its own for each key. */
  identify(request: AccessRequest): Caller | Refusal;
}

export interface Caller {
  /** ID of the API key; undefined: none was sent, or none is made */
  readonly keyId: string | undefined;
}

export function isRefusal(opened: Account | Caller | Refusal): opened is Refusal {
  return "status" in opened;
}

const ADMITTED: Admission = { headers: [] };

/** The account of a client that is not counted. */
const UNLIMITED_ACCOUNT: Account = { spend: () => ADMITTED, foresee: () => ADMITTED };

/** Access without keys and limits. */
export const openAccess: AccessControl = {
  keyUse: "none",
  open: () => UNLIMITED_ACCOUNT,
  admit: () => ADMITTED,
  identify: () => ({ keyId: undefined }),
};

/** Where a rule applies: nowhere, on the Data API, or also on the node's interface below `/ext`. */
export type Scope = "none" | "data" | "all";

/** The operator's configuration. Plain data, because it is sent between processes. */
export interface AccessSettings {
  /** where requests without a key are refused */
  readonly keyScope: Scope;
  readonly rateLimits: RateLimits;
  /** where spending is counted against `rateLimits` */
  readonly rateLimitScope: Exclude<Scope, "none">;
  /** addresses and networks of proxies whose X-Forwarded-For is trusted */
  readonly trustedProxies: readonly string[];
}

export const OPEN_TO_ALL: AccessSettings = { keyScope: "none", rateLimits: NO_LIMITS, rateLimitScope: "data", trustedProxies: [] };

/** Options of one interface. */
interface AccessOptions {
  readonly keys: KeyRing;
  readonly requiresKey: boolean;
  readonly limits: RateLimits;
  readonly meter: Meter;
  /** returns milliseconds */
  readonly now: () => number;
}

export function accessControl(options: AccessOptions): AccessControl {
  const open = (request: AccessRequest) => {
    const holder = holderOf(request, options);
    if (holder !== undefined && "status" in holder) return holder;
    const tier: Tier = holder?.tier ?? "unauthenticated";
    const limit = options.limits[tier];
    if (limit === undefined) return UNLIMITED_ACCOUNT;
    return limitedAccount(holder === undefined ? clientOfAddress(request.ip) : KEY_PREFIX + holder.id, tier, limit, options);
  };
  return {
    keyUse: keyUse(options),
    open,
    admit(request, computeUnits) {
      if (computeUnits === 0) return UNLIMITED_ACCOUNT.spend(0);
      const opened = open(request);
      return isRefusal(opened) ? { headers: [], refusal: opened } : opened.spend(computeUnits);
    },
    identify(request) {
      const holder = holderOf(request, options);
      return holder !== undefined && "status" in holder ? holder : { keyId: holder?.id };
    },
  };
}

function keyUse({ requiresKey, limits }: AccessOptions): KeyUse {
  if (requiresKey) return "required";
  return Object.values(limits).some((limit) => limit !== undefined) ? "optional" : "none";
}

function limitedAccount(client: string, tier: Tier, limit: Limit, { meter, now }: AccessOptions): Account {
  return {
    spend(units) {
      const spending = meter.spend(client, tier, units);
      if (spending instanceof Promise) return spending.then((made) => admission(limit, made, units, now()));
      return admission(limit, spending, units, now());
    },
    foresee(units) {
      const left = meter.left(client, tier);
      if (left === undefined) return UNLIMITED_ACCOUNT.foresee(units);
      const isAdmitted = Math.min(left.minuteLeft, left.dayLeft) >= units;
      return admission(limit, { ...left, isAdmitted }, units, now());
    },
  };
}

/** The key in the request, or a refusal; undefined if there is no key and none is needed. */
function holderOf({ keys, privilege = "read" }: AccessRequest, { keys: ring, requiresKey }: AccessOptions): ApiKey | undefined | Refusal {
  const [key, other = key] = keys.filter((value) => value !== "");
  if (other !== key) return refused(400, "x-data-api-key and x-glacier-api-key hold different keys; send one of them");
  const holder = key === undefined ? undefined : ring.find(key);
  if (holder === undefined) {
    if (key !== undefined && !ring.isEmpty) return refused(401, "the API key is unknown; use one that the operator of this server created");
    return requiresKey ? refused(401, "this request needs an API key; send it in the header x-data-api-key") : undefined;
  }
  if (holder.revokedAt !== undefined) return refused(403, `the API key ${holder.id} is revoked; use another`);
  if (holder.privileges.some((held) => held === privilege)) return holder;
  return refused(403, `the API key ${holder.id} lacks the privilege ${privilege}; use one that has it`);
}

function admission(limit: Limit, spending: Spending, units: number, now: number): Admission {
  const { headers, refusal } = rateLimitHeaders(limit, spending, units, now);
  return refusal === undefined ? { headers } : { headers, refusal: refused(429, refusal) };
}

function refused(status: Refusal["status"], message: string): Refusal {
  return { status, message };
}

// Response headers for rate limits (data-api 10): those of the window with less left, and after a refusal the time to wait.

interface Window {
  readonly name: string;
  readonly limit: number;
  readonly left: number;
  readonly ms: number;
}

/** Names and values, alternating, and the reason if the client was refused. */
function rateLimitHeaders(
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
