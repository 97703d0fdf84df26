/**
 * What contracts of EVM chains say of themselves, as the token service last asked (`src/evm/tokens/`, `src/evm/nft/`). Table IDs 340–349.
 * Written apart from the index, never undone: whoever shows it shows the newest answer.
 */
import { bytes, optional, str, u8, u16, u32, u64 } from "../../primitives/codec/codec.ts";
import { id, shortId } from "../../primitives/columns.ts";
import { table } from "../../primitives/table.ts";

/** `kind`: see `TransferKind`, 0 for what is no token. Texts are UTF-8 held as latin1, cut to a sane length; undefined: no usable answer. */
export const evmContractMetadata = table({
  id: 340,
  name: "evm_contract_metadata",
  key: { chain: u32, contract: shortId },
  value: {
    kind: u8,
    name: optional(str),
    symbol: optional(str),
    /** 0–255 as the contract says; undefined: absurd or none */
    decimals: optional(u8),
    /** Unix seconds */
    checkedAt: u64,
  },
});

/** What is to be asked, in order of time: contracts that were deployed or met as tokens (`tokenId` absent), and NFTs. */
export const evmContractQueue = table({
  id: 341,
  name: "evm_contract_queue",
  key: { chain: u32, dueAt: u64, contract: shortId },
  value: {},
});

/** `status`: place in NftTokenMetadataStatus (data-api 3.5). `tokenUri` and `metadata` are UTF-8; `metadata` is JSON of the members that the Data API shows. Unix seconds. */
export const evmNftMetadata = table({
  id: 342,
  name: "evm_nft_metadata",
  key: { chain: u32, token: shortId, tokenId: id },
  value: { tokenUri: bytes, status: u8, metadata: bytes, updatedAt: u64, requestedAt: u64 },
});

/** NFTs whose metadata is to be read, in order of time. */
export const evmNftQueue = table({
  id: 343,
  name: "evm_nft_queue",
  key: { chain: u32, dueAt: u64, token: shortId, tokenId: id },
  value: {},
});

/** Tokens whose balances were compared with `balanceOf`. `verdict` 0: the same so far, 1: differ, balances are read from the chain, 2: no such token */
export const evmTokenChecks = table({
  id: 344,
  name: "evm_token_checks",
  key: { chain: u32, token: shortId },
  value: { verdict: u8, height: u64, samples: u16, checkedAt: u64 },
});

/** Rises with every commit of the token service, so that answers made from its rows are told from newer ones. */
export const evmTokenRevisions = table({ id: 345, name: "evm_token_revisions", key: { chain: u32 }, value: { revision: u64 } });

/** Tokens with verdict 1: what an address holds of them cannot be told from its holdings, not even that it holds none. */
export const evmLyingTokens = table({ id: 346, name: "evm_lying_tokens", key: { chain: u32, token: shortId }, value: {} });
