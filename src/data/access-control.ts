/**
 * Who may ask, and how much: asked before a route's handler runs, and before its parameters are looked at. The framework reads key and
 * address from the request; `src/data/access` decides.
 */
import type { DataError } from "./errors.ts";

export interface AccessRequest {
  /** what the headers `x-data-api-key` and `x-glacier-api-key` hold; those that were not sent are left out */
  readonly keys: readonly string[];
  /** of the client's connection, or of the header that the operator trusts */
  readonly ip: string;
  /** the route's price; routes that cost nothing are open to everybody */
  readonly computeUnits: number;
  /** what a key must be allowed to; undefined: what every key is */
  readonly privilege?: string;
}

export interface Admission {
  /** names and values in turn, lower case: `ratelimit-limit`, `retry-after` …; on every response of this request */
  readonly headers: readonly string[];
  /** 400, 401, 403 or 429: the request is not served */
  readonly error?: DataError;
}

export interface AccessControl {
  /** A promise only if other processes have to be asked. Never rejects. */
  admit(request: AccessRequest): Admission | Promise<Admission>;
}

const ADMITTED: Admission = { headers: [] };

/** No keys, no limits. */
export const openAccess: AccessControl = { admit: () => ADMITTED };
