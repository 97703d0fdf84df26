/** Reads NFTs that were minted, not burned, and whose contract is really of their kind. */
import Type from "typebox";
import { tokenIdKey } from "../../../../evm/index/holding-rows.ts";
import { evmNfts, evmTokens } from "../../../../evm/index/tables.ts";
import { evmTokenChecks } from "../../../../evm/index/token-tables.ts";
import { NO_SUCH_TOKEN } from "../../../../evm/tokens/balance-samples.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { badRequest, notFound } from "../../errors.ts";
import { shown } from "../../ids.ts";
import { isClassedAsNone } from "../balances/holding-page.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { type EvmReading, formatAddress, type NftId } from "../present-token.ts";

export const nftParams = Type.Object({
  address: evmAddress("Contract of the collection"),
  tokenId: Type.String({ minLength: 1, description: "Decimal number" }),
});

const MAX_TOKEN_ID = 2n ** 256n - 1n;

/** Throws 400, and 404 if there is no such NFT. */
export async function readNft(params: { readonly address: string; readonly tokenId: string }, context: EvmReading): Promise<NftId> {
  const { reader, evmChain } = context;
  const token = parseEvmAddress(params.address);
  const tokenId = parseTokenId(params.tokenId);
  const row = await reader.get(evmNfts, { chain: evmChain.chain, token, tokenId: tokenIdKey(tokenId) });
  if (row === undefined || (await isNoCollection(token, context))) {
    throw notFound(`${formatAddress(token)} on chain ${evmChain.evmChainId} has no NFT ${tokenId}`);
  }
  return { kind: row.kind as NftId["kind"], token, tokenId };
}

/** Whether the contract emitted logs of NFTs without being a collection. */
export async function isNoCollection(token: Address, { reader, evmChain: { chain } }: EvmReading): Promise<boolean> {
  const [check, row] = await Promise.all([reader.get(evmTokenChecks, { chain, token }), reader.get(evmTokens, { chain, token })]);
  return check?.verdict === NO_SUCH_TOKEN || isClassedAsNone(row);
}

/** Throws 400. */
export function parseTokenId(text: string): bigint {
  const tokenId = /^[0-9]{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (tokenId === undefined || tokenId > MAX_TOKEN_ID) {
    throw badRequest(`tokenId must be a decimal number of at most 256 bits, got ${shown(text)}`);
  }
  return tokenId;
}
