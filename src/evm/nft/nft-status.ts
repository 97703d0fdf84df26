/** NftTokenMetadataStatus (data-api 3.5). The index in this list is on disk, so only append. */
export const NFT_STATUSES = [
  "UNKNOWN",
  "MISSING_TOKEN",
  "INVALID_TOKEN_URI",
  "INVALID_TOKEN_URI_SCHEME",
  "UNREACHABLE_TOKEN_URI",
  "THROTTLED_TOKEN_URI",
  "METADATA_CONTENT_TOO_LARGE",
  "INVALID_METADATA",
  "INVALID_METADATA_JSON",
  "INDEXED",
  "UNINDEXED",
] as const;

export type NftStatus = (typeof NFT_STATUSES)[number];

export function statusNumber(status: NftStatus): number {
  return NFT_STATUSES.indexOf(status);
}
