/** Who may use the Data API of a serving process, as the operator configured it; and the ledger of the process that runs the checks. */
import { accessControl } from "../data/access/access.ts";
import { KeyRing } from "../data/access/key-ring.ts";
import { type KeptLedger, openLedger } from "../data/access/ledger-file.ts";
import type { Meter } from "../data/access/meter.ts";
import type { AccessControl } from "../data/access-control.ts";
import type { CompleteServeOptions } from "./serve-options.ts";

export function servingAccess({ dataDirectory, access, log }: CompleteServeOptions, meter: Meter): AccessControl {
  return accessControl({
    keys: new KeyRing({
      dataDirectory,
      now: Date.now,
      onProblem: (error) => log.error({ err: error }, "Could not read the API keys again; those known before stay"),
    }),
    requiresKey: access.requiresKey,
    limits: access.rateLimits,
    meter,
    now: Date.now,
  });
}

/** Without limits nothing is counted, and nothing written. */
export function servingLedger({ dataDirectory, access, log }: CompleteServeOptions): KeptLedger {
  return openLedger({ dataDirectory, limits: access.rateLimits, onProblem: (error, what) => log.error({ err: error }, what) });
}
