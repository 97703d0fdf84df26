/**
 * Decides which web pages may change state: control a devnet, issue transactions, or open a WebSocket. A browser sends any page's requests,
 * even to servers that only its user can reach, so only the server's own pages and those from this machine may, unless the operator names
 * other origins. Clients that are not pages (curl, SDKs, servers) send no Origin and pass.
 */

import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { headerOf, originTest } from "./cors.ts";
import { RefusedRequest } from "./exchange.ts";

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
