/** Cross-origin headers as the node's CORS layer sends them (rpc-avm-info-health 1.4). */
import type { IncomingHttpHeaders } from "node:http";
import type { HttpRequest } from "./exchange.ts";

/**
 * Cross-origin headers of the Data API. Pages may send any request header: the API uses no cookies, so a page of another origin can do no
 * more than a script elsewhere. Browsers ask for the headers of the SDKs (both key headers, X-App-Component) and for those that clients add
 * (Cache-Control, Pragma, Expires).
 */
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

const ALLOWED_METHODS = new Set(["GET", "POST", "HEAD", "OPTIONS"]);
const ALLOWED_HEADERS = ["Origin", "Accept", "Content-Type", "X-Requested-With"];
/** Firn's own: the least height of a chain. */
const MIN_HEIGHT = /^Firn-Min-Height-./;

const VARY_ORIGIN = ["Vary", "Origin"] as const;
/** The response headers of a preflight that allows nothing. */
export const PREFLIGHT_VARY = [...VARY_ORIGIN, "Vary", "Access-Control-Request-Method", "Vary", "Access-Control-Request-Headers"] as const;

type CorsRequest = Pick<HttpRequest, "method" | "headers">;

export interface Cors {
  /** Headers of an ordinary response. */
  responseHeaders(request: CorsRequest): readonly string[];
  /** Headers of the answer to a preflight; undefined if the request is not a preflight. */
  preflightHeaders(request: CorsRequest): readonly string[] | undefined;
}

/** An origin may contain one `*` as a wildcard; `*` alone allows all origins. */
export function originTest(allowedOrigins: readonly string[]): (origin: string) => boolean {
  if (allowedOrigins.includes("*")) return () => true;
  const patterns = allowedOrigins.map((origin) => originPattern(origin.toLowerCase()));
  return (origin) => patterns.some((pattern) => pattern.test(origin.toLowerCase()));
}

/** @param keyHeaders additional headers that pages may send, to pass an API key */
export function cors(allowedOrigins: readonly string[], keyHeaders: readonly string[] = []): Cors {
  const allowedHeaders = new Set([...ALLOWED_HEADERS, ...keyHeaders.flatMap(headerNames)]);
  const allowsAll = allowedOrigins.includes("*");
  const isAllowed = originTest(allowedOrigins);
  const shown = (origin: string) => (allowsAll ? "*" : origin);

  return {
    responseHeaders(request) {
      const origin = headerOf(request, "origin");
      if (origin === "" || !isAllowed(origin) || !ALLOWED_METHODS.has(request.method.toUpperCase())) return VARY_ORIGIN;
      return [...VARY_ORIGIN, "Access-Control-Allow-Origin", shown(origin), "Access-Control-Allow-Credentials", "true"];
    },
    preflightHeaders(request) {
      if (request.method !== "OPTIONS") return undefined;
      const method = headerOf(request, "access-control-request-method").toUpperCase();
      if (method === "") return undefined;
      const origin = headerOf(request, "origin");
      const wanted = headerNames(headerOf(request, "access-control-request-headers"));
      if (origin === "" || !isAllowed(origin) || !ALLOWED_METHODS.has(method)) return PREFLIGHT_VARY;
      if (!wanted.every((name) => allowedHeaders.has(name) || MIN_HEIGHT.test(name))) return PREFLIGHT_VARY;
      const headers = [...PREFLIGHT_VARY, "Access-Control-Allow-Origin", shown(origin), "Access-Control-Allow-Methods", method];
      if (wanted.length > 0) headers.push("Access-Control-Allow-Headers", wanted.join(", "));
      return [...headers, "Access-Control-Allow-Credentials", "true"];
    },
  };
}

export function headerOf(request: Pick<HttpRequest, "headers">, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : (value?.[0] ?? "");
}

function originPattern(origin: string): RegExp {
  const [before, ...after] = origin.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(after.length === 0 ? `^${before}$` : `^${before}.*${after.join(".*")}$`, "s");
}

/** The names in a header list, capitalized as Go does it (`x-api-key` → `X-Api-Key`). */
function headerNames(list: string): string[] {
  return list
    .split(/[ ,]/)
    .map((name) => name.replace(/[^A-Za-z0-9\-_.]/g, "").toLowerCase())
    .filter((name) => name !== "")
    .map((name) => name.replace(/(^|[-_])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase()));
}
