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
}

export function isRefusal(opened: Account | Refusal): opened is Refusal {
  return "status" in opened;
}

const ADMITTED: Admission = { headers: [] };

/** The account of a client that is not counted. */
export const UNLIMITED_ACCOUNT: Account = { spend: () => ADMITTED, foresee: () => ADMITTED };

/** Access without keys and limits. */
export const openAccess: AccessControl = { keyUse: "none", open: () => UNLIMITED_ACCOUNT, admit: () => ADMITTED };
