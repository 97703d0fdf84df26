/**
 * Who may ask, and how much: asked before a route's handler runs, and before its parameters are looked at. The framework reads key and
 * address from the request; `src/data/access` decides.
 */
import type { DataError } from "./errors.ts";

export interface AccessRequest {
  /** of `x-data-api-key`, or else of `x-glacier-api-key` */
  readonly key: string | undefined;
  /** of the client's connection, or of the header that the operator trusts */
  readonly ip: string;
  /** the route's price */
  readonly computeUnits: number;
}

export interface Admission {
  /** names and values in turn, lower case: `ratelimit-limit`, `retry-after` …; on every response of this request */
  readonly headers: readonly string[];
  /** 401, 403 or 429: the request is not served */
  readonly error?: DataError;
}

export interface AccessControl {
  admit(request: AccessRequest): Admission;
}

const ADMITTED: Admission = { headers: [] };

/** No keys, no limits. */
export const openAccess: AccessControl = { admit: () => ADMITTED };
