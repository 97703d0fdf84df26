/** Asks a contract for the URI of an NFT's metadata. */

import type { Address } from "../../sources/evm/parser/block.ts";
import { callData, readText, word } from "../abi.ts";
import type { NftStatus } from "../nft/nft-status.ts";
import type { CallAnswer, ContractCall } from "./multicall.ts";

/** bytes of UTF-8; data URIs with an image have about 10,000 */
export const MAX_URI_BYTES = 65_536;

export interface QueuedNft {
  readonly token: Address;
  readonly tokenId: bigint;
  readonly isErc721: boolean;
}

export function uriQuestion({ token, tokenId, isErc721 }: QueuedNft): ContractCall {
  return { to: token, data: callData(isErc721 ? "tokenURI(uint256)" : "uri(uint256)", tokenId) };
}

export function readTokenUri(answer: CallAnswer): { readonly uri: string } | { readonly status: NftStatus } {
  if (answer === undefined) return { status: "MISSING_TOKEN" };
  const uri = readText(answer, MAX_URI_BYTES + 1)?.trim();
  if (uri === undefined || uri === "") return { status: "INVALID_TOKEN_URI" };
  return Buffer.byteLength(uri) > MAX_URI_BYTES ? { status: "METADATA_CONTENT_TOO_LARGE" } : { uri };
}

/** In URIs of ERC-1155, `{id}` stands for 64 hex digits. */
export function uriOfToken(uri: string, tokenId: bigint): string {
  return uri.replaceAll("{id}", word(tokenId));
}
