/** Access control and rate limits of a serving process as the operator configured them, and the ledger of what clients spend. */
import { type AccessControl, accessControl } from "../api/access/access.ts";
import { KeyRing } from "../api/access/key-ring.ts";
import { type KeptLedger, openLedger } from "../api/access/ledger-file.ts";
import type { Meter } from "../api/access/meter.ts";
import { NO_LIMITS, type RateLimits } from "../api/access/tiers.ts";
import type { CompleteServeOptions } from "./serve-options.ts";

/** Access to the Data API and to the node's interface; nodeAccess is undefined where no caller is checked. */
interface ServingAccess {
  readonly access: AccessControl;
  readonly nodeAccess: AccessControl | undefined;
}

export function servingAccess({ dataDirectory, access, log }: CompleteServeOptions, meter: Meter): ServingAccess {
  const keys = new KeyRing({
    dataDirectory,
    now: Date.now,
    onProblem: (error) => log.error({ err: error }, "Could not read the API keys again; keeping the previous ones"),
  });
  const { keyScope, rateLimits, rateLimitScope } = access;
  const of = (requiresKey: boolean, limits: RateLimits) => accessControl({ keys, requiresKey, limits, meter, now: Date.now });
  const nodeLimits = rateLimitScope === "all" ? rateLimits : NO_LIMITS;
  return {
    access: of(keyScope !== "none", rateLimits),
    nodeAccess: keyScope === "all" || nodeLimits !== NO_LIMITS ? of(keyScope === "all", nodeLimits) : undefined,
  };
}

/** Without limits nothing is counted or written. */
export function servingLedger({ dataDirectory, access, log }: CompleteServeOptions): KeptLedger {
  return openLedger({ dataDirectory, limits: access.rateLimits, onProblem: (error, what) => log.error({ err: error }, what) });
}
