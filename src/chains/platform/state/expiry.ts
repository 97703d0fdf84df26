/** Used L1 registrations, in order of expiry (chain-rules 3). */
import type { Id } from "../../../base/bytes/id.ts";

export interface Expiry {
  readonly timestamp: bigint;
  readonly validationId: Id;
}

export function compareExpiries(a: Expiry, b: Expiry): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  if (a.validationId === b.validationId) return 0;
  return a.validationId < b.validationId ? -1 : 1;
}
