/**
 * Cross-origin headers of the Data API. Pages may send any request header: the API uses no cookies, so a page of another origin can do no
 * more than a script elsewhere. Browsers ask for the headers of the SDKs (both key headers, X-App-Component) and for those that clients add
 * (Cache-Control, Pragma, Expires).
 */
import type { IncomingHttpHeaders } from "node:http";
import { originTest } from "./cors.ts";

type HeaderList = readonly string[];

export interface DataCors {
  /** headers of an ordinary response; `origin` is the request's header */
  responseHeaders(origin: string | undefined): HeaderList;
  /** headers of the answer to OPTIONS; without Allow, because the path's methods are not looked up */
  preflightHeaders(headers: IncomingHttpHeaders): HeaderList;
}

/** Headers that scripts may read. */
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

/** An origin may contain one `*` as a wildcard; `*` alone allows all origins. */
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
