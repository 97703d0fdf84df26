import Type from "typebox";
import { ERC1155 } from "../../../../evm/facts.ts";
import { balanceOfRank } from "../../../../evm/index/holder-rows.ts";
import { evmHolders, evmItemHolders } from "../../../../evm/index/holder-tables.ts";
import { tokenIdKey } from "../../../../evm/index/holding-rows.ts";
import type { EvmChainContext } from "../../context.ts";
import { badRequest } from "../../errors.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { parseTokenId } from "../nfts/read-nft.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { formatAddress } from "../present-token.ts";
import { type KnownToken, knownToken, typeOf } from "./known-tokens.ts";
import { isExact, tokenHolderSchema, tokenType } from "./schemas.ts";

export const listTokenHolders = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/tokens/{address}/holders",
  operationId: "listTokenHolders",
  tag: "EVM: tokens",
  summary: "Addresses that hold a token now, the largest balance first.",
  description:
    "Addresses with the same balance are in the order of their bytes. A collection of NFTs (ERC-721) is listed by how many of them an address owns. ERC-1155 needs a `tokenId`. `isExact` tells whether the token's transfers determine its balances.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the token") }),
  query: Type.Object({
    tokenId: Type.Optional(Type.String({ description: "Token ID of ERC-1155, a decimal number. Required there, refused elsewhere." })),
    ...pageQuery(),
  }),
  response: pageOf({ ercType: tokenType(), isExact, holders: Type.Array(tokenHolderSchema) }),
  async handle({ params, query: { tokenId, pageSize } }, context) {
    const address = parseEvmAddress(params.address);
    const token = await knownToken(address, context);
    const rows = await holdersAfter(token, itemOf(token, tokenId), pageSize + 1, context);
    const shown = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? shown.at(-1) : undefined;
    return {
      ...context.nextPage(last && { rank: last.rank, holder: last.holder }),
      ercType: typeOf(token),
      isExact: token.isExact,
      holders: shown.map(({ rank, holder }) => ({ address: formatAddress(holder), balance: `${balanceOfRank(rank)}` })),
    };
  },
});

/** The token ID in keys of tables; undefined: the token has none. Throws 400. */
function itemOf({ token, kind }: KnownToken, tokenId: string | undefined): string | undefined {
  if (tokenId === undefined) {
    if (kind !== ERC1155) return undefined;
    throw badRequest(`${formatAddress(token)} is an ERC-1155 contract, whose holders are listed for each token ID; add tokenId`);
  }
  const key = tokenIdKey(parseTokenId(tokenId));
  if (kind === ERC1155) return key;
  throw badRequest(`${formatAddress(token)} is no ERC-1155 contract, and only these list holders for each token ID; leave tokenId out`);
}

/** In the order of the list, behind the last one of the page before. */
export async function holdersAfter(
  { token, kind }: KnownToken,
  tokenId: string | undefined,
  limit: number,
  { reader, evmChain: { chain }, after }: EvmChainContext,
): Promise<readonly { readonly rank: string; readonly holder: string }[]> {
  const range = { ...(after && { after: { rank: String(after.rank), holder: String(after.holder) } }), limit };
  const rows =
    tokenId === undefined
      ? await reader.scan(evmHolders, { prefix: { chain, token, kind }, ...range })
      : await reader.scan(evmItemHolders, { prefix: { chain, token, tokenId }, ...range });
  return rows.map(({ key }) => key);
}
