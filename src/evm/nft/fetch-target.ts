/** Where a token URI leads to: a URL that may be asked, or why not. */
import type { NftFetchSettings } from "../chain-settings.ts";
import type { NftStatus } from "./nft-status.ts";

export type FetchTarget = { readonly url: URL; readonly isGateway: boolean } | { readonly status: NftStatus };

/** An IPFS path: a CID or a name, then segments none of which leads upwards. */
const IPFS_ROOT = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

export function fetchTarget(uri: string, { ipfsGateway }: Pick<NftFetchSettings, "ipfsGateway">): FetchTarget {
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?(.*)$/is.exec(uri)?.[1];
  if (ipfs !== undefined) return ipfsTarget(ipfs, ipfsGateway);
  const url = parseUrl(uri);
  return url === undefined ? { status: "INVALID_TOKEN_URI" } : webTarget(url);
}

/** Also of a redirect: only plain http and https, and nobody's password. */
export function webTarget(url: URL): FetchTarget {
  if (url.protocol !== "http:" && url.protocol !== "https:") return { status: "INVALID_TOKEN_URI_SCHEME" };
  if (url.username !== "" || url.password !== "") return { status: "INVALID_TOKEN_URI" };
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

/** `%2e%2e` is `..`; undefined: no UTF-8 */
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
