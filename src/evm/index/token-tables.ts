/**
 * Table IDs 340–349. Facts that contracts of EVM chains tell about themselves, as of the token service's last request (`src/evm/tokens/`,
 * `src/evm/nft/`). The rows have commits of their own, so an answer shows the newest ones, whatever the indexed height. When a branch is
 * replaced, the rows of its contracts are removed (`said-rows.ts`).
 */
import { bytes, list, optional, str, u8, u16, u32, u64 } from "../../base/codec/codec.ts";
import { id, shortId, table } from "../../base/table/table.ts";

/**
 * Metadata of contracts. `kind`: see `TransferKind`, 0 if it is not a token. Texts are UTF-8 stored as latin1 and cut to a limited length;
 * undefined: no usable answer.
 */
export const evmContractMetadata = table({
  id: 340,
  name: "evm_contract_metadata",
  key: { chain: u32, contract: shortId },
  value: {
    kind: u8,
    name: optional(str),
    symbol: optional(str),
    /** 0–255 as the contract says; undefined: none, or out of range */
    decimals: optional(u8),
    /** Unix seconds */
    checkedAt: u64,
  },
});

/** Contracts to ask, in order of time. They were deployed or first seen as tokens. */
export const evmContractQueue = table({
  id: 341,
  name: "evm_contract_queue",
  key: { chain: u32, dueAt: u64, contract: shortId },
  value: {},
});

/**
 * Metadata of NFTs. `status`: index in NftTokenMetadataStatus (data-api 3.5). `tokenUri` and `metadata` are UTF-8; `metadata` is JSON of
 * the members that the Data API shows. Times in Unix seconds.
 */
export const evmNftMetadata = table({
  id: 342,
  name: "evm_nft_metadata",
  key: { chain: u32, token: shortId, tokenId: id },
  value: { tokenUri: bytes, status: u8, metadata: bytes, updatedAt: u64, requestedAt: u64 },
});

/** NFTs whose metadata has to be read, in order of time. */
export const evmNftQueue = table({
  id: 343,
  name: "evm_nft_queue",
  key: { chain: u32, dueAt: u64, token: shortId, tokenId: id },
  value: {},
});

/**
 * Tokens whose balances were compared with `balanceOf`. `verdict` 0: equal so far; 1: different, so balances are read from the chain; 2:
 * not a token
 */
export const evmTokenChecks = table({
  id: 344,
  name: "evm_token_checks",
  key: { chain: u32, token: shortId },
  value: { verdict: u8, height: u64, samples: u16, checkedAt: u64 },
});

/** Rises with every commit of the token service, so that cached answers made from older rows become invalid. */
export const evmTokenRevisions = table({ id: 345, name: "evm_token_revisions", key: { chain: u32 }, value: { revision: u64 } });

/** Tokens with verdict 1. An address may own such a token whatever its holdings say, even if they say none. */
export const evmLyingTokens = table({ id: 346, name: "evm_lying_tokens", key: { chain: u32, token: shortId }, value: {} });

/** Tokens by the keys of their names and symbols (`nameKey`), the one that was met first first. */
export const evmTokenNames = table({
  id: 347,
  name: "evm_token_names",
  key: { chain: u32, name: id, height: u64, token: shortId },
  value: {},
});

/** The rows that a token has in `evm_token_names`. */
export const evmNamedTokens = table({
  id: 348,
  name: "evm_named_tokens",
  key: { chain: u32, token: shortId },
  value: { height: u64, names: list(id) },
});
