/**
 * Tables of tokens and who holds them. All rows follow from holdings, owners, transfers and tokens (`tables.ts`; `derived-holders.ts`).
 * Table ID 321 was used.
 */

import { u8, u32, u64 } from "../../base/codec/codec.ts";
import { integer256, signedInteger } from "../../base/codec/varint.ts";
import { id, shortId, table } from "../../base/table/table.ts";

/**
 * Holders of a token by falling balance, above zero. `kind`: ERC-20, or ERC-721 with the number of NFTs as balance. `rank`: 2^256 − 1 −
 * balance. A sum that is too large for a contract has rank 0.
 */
export const evmHolders = table({
  id: 322,
  name: "evm_holders",
  key: { chain: u32, token: shortId, kind: u8, rank: id, holder: shortId },
  value: {},
});

/** Holders of each token ID of ERC-1155, as in `evm_holders`. */
export const evmItemHolders = table({
  id: 323,
  name: "evm_item_holders",
  key: { chain: u32, token: shortId, tokenId: id, rank: id, holder: shortId },
  value: {},
});

/** How many NFTs (ERC-721) of a collection an address owns; no row at zero. */
export const evmNftCounts = table({
  id: 324,
  name: "evm_nft_counts",
  key: { chain: u32, token: shortId, holder: shortId },
  value: { nfts: integer256 },
});

/** Sums over a token's transfers and holders. One row, since a contract may emit events of several standards. */
export const evmTokenTotals = table({
  id: 325,
  name: "evm_token_totals",
  key: { chain: u32, token: shortId },
  value: {
    /** of all standards */
    transfers: integer256,
    /** ERC-20: addresses with a balance, and the sum of their balances in base units */
    holders: integer256,
    supply: signedInteger,
    /** ERC-721: addresses that own NFTs, and how many NFTs exist */
    owners: integer256,
    nfts: integer256,
    /** ERC-1155: the sum of all balances of all token IDs */
    units: signedInteger,
  },
});

/** Tokens by kind and height of their first log. Contracts that are not tokens are left out. */
export const evmTokensByHeight = table({
  id: 326,
  name: "evm_tokens_by_height",
  key: { chain: u32, kind: u8, height: u64, token: shortId },
  value: {},
});
