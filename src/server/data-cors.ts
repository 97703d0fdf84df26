/**
 * Cross-origin headers of the Data API. Any request header may be sent: the API knows no cookies, so a page of another origin can do no
 * more with it than a script elsewhere. Browsers ask for those of the SDKs (both key headers, X-App-Component) and for what clients add
 * (Cache-Control, Pragma, Expires).
 */
import type { IncomingHttpHeaders } from "node:http";
import { originTest } from "./cors.ts";

type HeaderList = readonly string[];

export interface DataCors {
  /** of an ordinary response; `origin` is the request's header */
  responseHeaders(origin: string | undefined): HeaderList;
  /** of the answer to OPTIONS; no Allow: which methods a path has is not looked at */
  preflightHeaders(headers: IncomingHttpHeaders): HeaderList;
}

/** What scripts may read besides the body. */
const EXPOSED = [
  ...["P", "X", "C"].flatMap((alias) => [`Firn-Height-${alias}`, `Firn-Seconds-Behind-${alias}`]),
  "RateLimit-Policy",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
].join(", ");
const METHODS = "GET, HEAD, POST";
const MAX_AGE_SECONDS = "7200";
const NONE: HeaderList = [];
const VARIES: HeaderList = ["Vary", "Origin"];

/** Origins may contain one `*` as a wildcard; `*` alone allows all. */
export function dataCors(allowedOrigins: readonly string[]): DataCors {
  const isAllowed = originTest(allowedOrigins);
  const allowsAll = allowedOrigins.includes("*");
  const shared = allowsAll ? NONE : VARIES;
  const allowing = (origin: string) => [...shared, "Access-Control-Allow-Origin", allowsAll ? "*" : origin];
  const toAll: HeaderList = [...allowing("*"), "Access-Control-Expose-Headers", EXPOSED];

  return {
    responseHeaders(origin) {
      if (origin === undefined || !isAllowed(origin)) return shared;
      return allowsAll ? toAll : [...allowing(origin), "Access-Control-Expose-Headers", EXPOSED];
    },
    preflightHeaders({ origin, "access-control-request-headers": wanted }) {
      if (origin === undefined || !isAllowed(origin)) return shared;
      const headers = [...allowing(origin), "Access-Control-Allow-Methods", METHODS, "Access-Control-Max-Age", MAX_AGE_SECONDS];
      return wanted === undefined
        ? headers
        : [...headers, "Access-Control-Allow-Headers", wanted, "Vary", "Access-Control-Request-Headers"];
    },
  };
}
