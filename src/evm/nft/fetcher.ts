/**
 * Fetches what a token URI points to on the network. Strangers write token URIs, so a fetch is restricted. It uses only http(s), and
 * ipfs:// through the operator's gateway. It never connects to an address that is not public, whatever names, redirects or literals lead
 * there (the gateway itself may be the operator's own). It sends only the request line. Bytes, time and redirects are bounded.
 */

import { lookup as resolveName } from "node:dns/promises";
import { setMaxListeners } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP } from "node:net";
import { GrowingBuffer } from "../../base/collections/growing-buffer.ts";
import { type Addresses, allowedAddresses, hostOf, type Internet, internet, lookupOf } from "../../base/pinned-address.ts";
import type { NftFetchSettings } from "../chain-settings.ts";
import { fetchTarget, parseUrl, webTarget } from "./fetch-target.ts";
import type { NftStatus } from "./nft-status.ts";

export type Fetched = { readonly content: Buffer } | { readonly status: NftStatus };

export interface NftFetcher {
  /** Never rejects: an error becomes a status. @param uri with `{id}` replaced */
  fetch(uri: string, signal: AbortSignal): Promise<Fetched>;
}

const MAX_REDIRECTS = 3;

/** @param accept types that servers are asked for */
export function openNftFetcher(settings: NftFetchSettings, on: Internet = internet, accept = "application/json"): NftFetcher {
  /** Undefined: an address that is not allowed. The gateway may be the operator's own, whose name the system resolves. */
  async function pinnedAddresses(url: URL, isGateway: boolean, signal: AbortSignal): Promise<Addresses | undefined> {
    if (!isGateway) return allowedAddresses(url, on, signal);
    const hostname = hostOf(url);
    const family = isIP(hostname);
    return family === 0 ? resolveName(hostname, { all: true }) : [{ address: hostname, family }];
  }

  async function fetchBounded(uri: string, signal: AbortSignal): Promise<Fetched> {
    let target = fetchTarget(uri, settings);
    for (let redirects = 0; ; redirects++) {
      if ("status" in target) return target;
      const pinned = await aborting(pinnedAddresses(target.url, target.isGateway, signal), signal);
      if (pinned === undefined || pinned.length === 0 || redirects > MAX_REDIRECTS) return { status: "UNREACHABLE_TOKEN_URI" };
      const response = await open(target.url, pinned, { accept, signal });
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
      // each redirect adds a listener; their number is bounded
      setMaxListeners(0, bounded);
      return fetchBounded(uri, bounded).catch(() => ({ status: "UNREACHABLE_TOKEN_URI" }));
    },
  };
}

/** Resolves with the head of the response. Uses a new connection, which is closed afterwards. */
function open(
  url: URL,
  pinned: Addresses,
  { accept, signal }: { readonly accept: string; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const headers = { accept, "accept-encoding": "identity", "user-agent": "firn" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, lookup: lookupOf(pinned), signal, headers }, resolve);
    sent.on("error", reject);
    // closes without an error if the server switched to another protocol
    sent.on("close", () => reject(new Error("the connection ended without an answer")));
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
    // compressed content was not requested and could have any size
    if ((headers["content-encoding"] ?? "identity") !== "identity") return { status: "INVALID_METADATA" };
    if (Number(headers["content-length"] ?? 0) > maxBytes) return { status: "METADATA_CONTENT_TOO_LARGE" };
    const content = new GrowingBuffer();
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (content.length + chunk.length > maxBytes) return { status: "METADATA_CONTENT_TOO_LARGE" };
      content.append(chunk);
    }
    return { content: content.bytes() };
  } finally {
    response.destroy();
  }
}

/** The system resolves the gateway's name and cannot be interrupted, so only the waiting is. */
function aborting<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([promise, aborted]);
}
