/**
 * Fetches what a token URI on the network points to. Token URIs are written by strangers, so a fetch is boxed in: only http(s), and ipfs://
 * through the operator's gateway; never to an address that is not public, whatever names, redirects or literals lead there (the gateway
 * itself may be the operator's own); nothing is sent but the request line; bounded in bytes, time and redirects.
 */
import { lookup as resolveName } from "node:dns/promises";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { NftFetchSettings } from "../chain-settings.ts";
import { fetchTarget, parseUrl, webTarget } from "./fetch-target.ts";
import type { NftStatus } from "./nft-status.ts";
import { isPublicAddress } from "./public-address.ts";

export type Fetched = { readonly content: Buffer } | { readonly status: NftStatus };

export interface NftFetcher {
  /** Never rejects: what goes wrong is a status. @param uri with `{id}` replaced */
  fetch(uri: string, signal: AbortSignal): Promise<Fetched>;
}

const MAX_REDIRECTS = 3;

/** What tests put in the place of the internet. No setting leads here. */
export interface Internet {
  isAllowed(address: string): boolean;
  resolve(hostname: string): Promise<Addresses>;
}

type Addresses = readonly { readonly address: string; readonly family: number }[];

const internet: Internet = { isAllowed: isPublicAddress, resolve: (hostname) => resolveName(hostname, { all: true }) };

export function openNftFetcher(settings: NftFetchSettings, { isAllowed, resolve }: Internet = internet): NftFetcher {
  /** Addresses that were checked, so that the connection goes there and nowhere else. Undefined: not all may be asked. */
  async function pinnedAddresses(url: URL, isGateway: boolean): Promise<Addresses | undefined> {
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const literal = isIP(hostname);
    const addresses = literal === 0 ? await resolve(hostname) : [{ address: hostname, family: literal }];
    // a name that leads to both kinds is no honest one
    return isGateway || addresses.every(({ address }) => isAllowed(address)) ? addresses : undefined;
  }

  async function fetchBounded(uri: string, signal: AbortSignal): Promise<Fetched> {
    let target = fetchTarget(uri, settings);
    for (let redirects = 0; ; redirects++) {
      if ("status" in target) return target;
      const pinned = await aborting(pinnedAddresses(target.url, target.isGateway), signal);
      if (pinned === undefined || pinned.length === 0 || redirects > MAX_REDIRECTS) return { status: "UNREACHABLE_TOKEN_URI" };
      const response = await open(target.url, pinned, signal);
      const { location } = response.headers;
      if (!isRedirect(response) || location === undefined) return await read(response, settings.maxBytes);
      response.destroy();
      const next = parseUrl(location, target.url);
      target = next === undefined ? { status: "UNREACHABLE_TOKEN_URI" } : webTarget(next);
    }
  }

  return {
    async fetch(uri, signal) {
      if (!settings.fetches) return { status: "UNINDEXED" };
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs)]);
      return fetchBounded(uri, bounded).catch(() => ({ status: "UNREACHABLE_TOKEN_URI" }));
    },
  };
}

/** Resolves with the head of the response. A connection of its own, closed afterwards. */
function open(url: URL, pinned: Addresses, signal: AbortSignal): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_hostname, options, callback) => {
    if (options.all) callback(null, [...pinned]);
    else callback(null, pinned[0]!.address, pinned[0]!.family);
  };
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "firn" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, lookup, signal, headers }, resolve);
    sent.on("error", reject);
    sent.end();
  });
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400;
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Fetched> {
  try {
    const { statusCode, headers } = response;
    if (statusCode === 429) return { status: "THROTTLED_TOKEN_URI" };
    if (statusCode !== 200) return { status: "UNREACHABLE_TOKEN_URI" };
    // packed content could be of any size unpacked; nobody asked for it
    if ((headers["content-encoding"] ?? "identity") !== "identity") return { status: "INVALID_METADATA" };
    if (Number(headers["content-length"] ?? 0) > maxBytes) return { status: "METADATA_CONTENT_TOO_LARGE" };
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) return { status: "METADATA_CONTENT_TOO_LARGE" };
      chunks.push(chunk);
    }
    return { content: Buffer.concat(chunks) };
  } finally {
    response.destroy();
  }
}

/** Names are resolved by the system, which cannot be told to stop. */
function aborting<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([promise, aborted]);
}
