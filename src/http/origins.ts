/**
 * Hosts, origins and pages that may ask: the Host header, cross-origin headers as the node's CORS layer sends them (rpc-avm-info-health 1.4),
 * and which web pages may change state.
 *
 * The guard of pages decides who may control a devnet, issue transactions, or open a WebSocket. A browser sends any page's requests,
 * even to servers that only its user can reach, so only the server's own pages and those from this machine may, unless the operator names
 * other origins. Clients that are not pages (curl, SDKs, servers) send no Origin and pass.
 */

import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { type HttpRequest, RefusedRequest } from "./exchange.ts";

export type HostFilter = (host: string) => boolean;

const SINGLE_LABEL = "single-label";

/** Decides which Host headers are served. This protects a node on a private address from DNS rebinding (rpc-avm-info-health 1.5). */
export function hostFilter(allowedHosts: readonly string[]): HostFilter {
  if (allowedHosts.includes("*")) return () => true;
  const isNamed = nameTest(allowedHosts.map((host) => host.toLowerCase()));
  let lastAllowed: string | undefined;
  return (host) => {
    if (host === lastAllowed) return true;
    const name = withoutPort(host);
    const isAllowed = host === "" || (isIP(name) !== 0 && !name.includes("%")) || isNamed(name.toLowerCase());
    if (isAllowed) lastAllowed = host;
    return isAllowed;
  };
}

/**
 * Each entry is a name, `*.` followed by a suffix, or `single-label` for all names without a dot, which the public DNS does not resolve.
 */
function nameTest(allowed: readonly string[]): HostFilter {
  const names = new Set(allowed);
  const endings = allowed.filter((host) => host.startsWith("*.")).map((host) => host.slice(1));
  const takesSingleLabels = names.has(SINGLE_LABEL);
  return (name) => names.has(name) || endings.some((ending) => name.endsWith(ending)) || (takesSingleLabels && /^[a-z0-9_-]+$/.test(name));
}

/** Go's SplitHostPort. A text that it cannot split stays whole, so `[::1]` without a port is not an address. */
function withoutPort(host: string): string {
  if (host.startsWith("[")) return /^\[([^\]]*)\]:[^:]*$/.exec(host)?.[1] ?? host;
  const colon = host.indexOf(":");
  return colon !== -1 && colon === host.lastIndexOf(":") ? host.slice(0, colon) : host;
}

/** Whether Go's HTTP server accepts this as a Host header. */
export function isWellFormedHost(host: string): boolean {
  return /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/.test(host);
}

type Headers = Readonly<IncomingHttpHeaders>;

/** Returns why the page that made a request may not change state; undefined if it may, or if no page made the request. */
export type PageGuard = (headers: Headers) => string | undefined;

export const anyPage: PageGuard = () => undefined;

/** Browsers resolve `localhost` and its subdomains to this machine. */
const LOOPBACK = /^https?:\/\/(?:localhost|[a-z0-9.-]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** Wallet extensions: the user has installed them, and no page can have such an origin. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[^/]+$/i;
const LONGEST_SHOWN = 100;

/**
 * @param namedOrigins the operator's origins; undefined if none are configured
 * @param allowedHosts the hosts that are served
 */
export function pageGuard(namedOrigins: readonly string[] | undefined, allowedHosts: readonly string[]): PageGuard {
  const isAllowed =
    namedOrigins === undefined ? (origin: string) => LOOPBACK.test(origin) || EXTENSION.test(origin) : originTest(namedOrigins);
  const isOwn = ownPageTest(allowedHosts);
  return (headers) => {
    const page = pageOf(headers);
    if (page === undefined || isAllowed(page) || isOwn(page, headers)) return undefined;
    return `pages of ${JSON.stringify(page.slice(0, LONGEST_SHOWN))} may not do this; the operator can name their origin in --http-allowed-origins`;
  };
}

/** An origin without its scheme: a name or an address, and a port unless it is the scheme's own. */
const HOST_OF_ORIGIN = /^https?:\/\/((?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)$/i;

/**
 * Whether a page is the server's own: its origin is the host that it asks. Such a page came from this server, if nobody else can be reached
 * by that name: it is an address, or a name that the operator allowed. With `*` any name is served, also one of a site that has it resolve
 * to this server after its own page was loaded (DNS rebinding), so a name that only `*` allows proves nothing.
 */
function ownPageTest(allowedHosts: readonly string[]): (page: string, headers: Headers) => boolean {
  const isKnownHost = hostFilter(allowedHosts.filter((host) => host !== "*"));
  return (page, headers) => {
    const host = HOST_OF_ORIGIN.exec(page)?.[1];
    if (host === undefined || host.toLowerCase() !== headerOf({ headers }, "host").toLowerCase() || !isKnownHost(host)) return false;
    // a browser that says more knows of a difference that a proxy hides: in the scheme, or in a port that the proxy leaves out
    return ["", "same-origin"].includes(headerOf({ headers }, "sec-fetch-site"));
  };
}

/** Throws a RefusedRequest if the guard refuses. */
export function requireAllowedPage(guard: PageGuard, { headers }: { readonly headers: Headers }): void {
  const message = guard(headers);
  if (message !== undefined) throw new RefusedRequest({ status: 403, message });
}

/** The origin of the page that made a request; undefined if no page did. A browser that hides the origin still sends Sec-Fetch-Site. */
function pageOf(headers: Headers): string | undefined {
  const origin = headerOf({ headers }, "origin");
  if (origin !== "") return origin;
  switch (headerOf({ headers }, "sec-fetch-site")) {
    case "same-origin":
      return `http://${headerOf({ headers }, "host")}`;
    case "same-site":
    case "cross-site":
      return "another site";
    default:
      return undefined;
  }
}

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
const METHODS = "GET, HEAD, POST, PATCH, DELETE";
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
