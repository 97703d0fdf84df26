/** Finds the URL of a token URI, or why it may not be fetched. */
import type { NftFetchSettings } from "../chain-settings.ts";
import type { NftStatus } from "./nft-status.ts";

type FetchTarget = { readonly url: URL; readonly isGateway: boolean } | { readonly status: NftStatus };

/** The root of an IPFS path: a CID or a name. No segment after it may lead upwards. */
const IPFS_ROOT = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

export function fetchTarget(uri: string, { ipfsGateway }: Pick<NftFetchSettings, "ipfsGateway">): FetchTarget {
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?(.*)$/is.exec(uri)?.[1];
  if (ipfs !== undefined) return ipfsTarget(ipfs, ipfsGateway);
  const url = parseUrl(uri);
  return url === undefined ? { status: "INVALID_TOKEN_URI" } : webTarget(url);
}

/** Ports below this belong to system services: mail, shells, file shares. */
const FIRST_FREE_PORT = 1024;
const WEB_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);

/** Also checks redirects. Only http and https are allowed, without credentials, and not on the port of another service. */
export function webTarget(url: URL): FetchTarget {
  if (url.protocol !== "http:" && url.protocol !== "https:") return { status: "INVALID_TOKEN_URI_SCHEME" };
  const isOtherService = !WEB_PORTS.has(url.port) && Number(url.port) < FIRST_FREE_PORT;
  if (url.username !== "" || url.password !== "" || isOtherService) return { status: "INVALID_TOKEN_URI" };
  return { url, isGateway: false };
}

export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function ipfsTarget(path: string, gateway: string | undefined): FetchTarget {
  const [root = "", ...segments] = (path.split(/[?#]/)[0] ?? "").split("/");
  const names = segments.map(decoded);
  const isUpwards = names.some((name) => name === undefined || name === "." || name === ".." || /[/\\\0]/.test(name));
  if (!IPFS_ROOT.test(root) || isUpwards) return { status: "INVALID_TOKEN_URI" };
  if (gateway === undefined) return { status: "UNINDEXED" };
  const url = parseUrl([root, ...names.map((name) => encodeURIComponent(name!))].join("/"), new URL(withSlash(gateway)));
  return url === undefined ? { status: "INVALID_TOKEN_URI" } : { url, isGateway: true };
}

/** Decodes `%2e%2e` to `..`; undefined: not UTF-8 */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function withSlash(gateway: string): string {
  return gateway.endsWith("/") ? gateway : `${gateway}/`;
}
