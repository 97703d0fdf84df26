/**
 * Decides which web pages may change state: control a devnet, issue transactions, or open a WebSocket. A browser sends any page's requests,
 * even to servers that only its user can reach, so only pages from this machine may, unless the operator names other origins. Clients that
 * are not pages (curl, SDKs, servers) send no Origin and pass.
 */
import type { IncomingHttpHeaders } from "node:http";
import { headerOf, originTest } from "./cors.ts";
import { RefusedRequest } from "./request-account.ts";

type Headers = Readonly<IncomingHttpHeaders>;

/** Returns why the page that made a request may not change state; undefined if it may, or if no page made the request. */
export type PageGuard = (headers: Headers) => string | undefined;

export const anyPage: PageGuard = () => undefined;

/** Browsers resolve `localhost` and its subdomains to this machine. */
const LOOPBACK = /^https?:\/\/(?:localhost|[a-z0-9.-]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** Wallet extensions: the user has installed them, and no page can have such an origin. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[^/]+$/i;
const LONGEST_SHOWN = 100;

/** @param namedOrigins the operator's origins; undefined if none are configured */
export function pageGuard(namedOrigins: readonly string[] | undefined): PageGuard {
  const isAllowed =
    namedOrigins === undefined ? (origin: string) => LOOPBACK.test(origin) || EXTENSION.test(origin) : originTest(namedOrigins);
  return (headers) => {
    const page = pageOf(headers);
    if (page === undefined || isAllowed(page)) return undefined;
    return `pages of ${JSON.stringify(page.slice(0, LONGEST_SHOWN))} may not do this; the operator can name their origin in --http-allowed-origins`;
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
