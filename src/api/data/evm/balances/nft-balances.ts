/** Presents the NFTs that an address holds. */
import { ERC721 } from "../../../../evm/facts.ts";
import { type EvmReading, Tokens } from "../present-token.ts";
import type { Erc721TokenBalance, Erc1155TokenBalance } from "../token-schemas.ts";
import type { Holding } from "./holdings.ts";

/** Costs three rows for each. */
export async function collectibleBalances(
  holdings: readonly Holding[],
  context: EvmReading,
): Promise<(Erc721TokenBalance | Erc1155TokenBalance)[]> {
  const show = await shownWith(holdings, context);
  return holdings.map((holding) => (holding.kind === ERC721 ? show.erc721(holding) : show.erc1155(holding)));
}

export async function erc721Balances(holdings: readonly Holding[], context: EvmReading): Promise<Erc721TokenBalance[]> {
  const show = await shownWith(holdings, context);
  return holdings.map(show.erc721);
}

export async function erc1155Balances(holdings: readonly Holding[], context: EvmReading): Promise<Erc1155TokenBalance[]> {
  const show = await shownWith(holdings, context);
  return holdings.map(show.erc1155);
}

async function shownWith(holdings: readonly Holding[], context: EvmReading) {
  const nfts = holdings.map(({ kind, token, tokenId }) => ({ kind, token, tokenId: BigInt(`0x${tokenId}`) }));
  const tokens = await Tokens.read({ addresses: holdings.map(({ token }) => token), nfts }, context);
  const chainId = `${context.evmChain.evmChainId}`;
  return {
    erc721: ({ token, tokenId }: Holding): Erc721TokenBalance => ({ ...tokens.erc721(token, BigInt(`0x${tokenId}`)), chainId }),
    erc1155: ({ token, tokenId, balance }: Holding): Erc1155TokenBalance => ({
      ...tokens.erc1155(token, BigInt(`0x${tokenId}`)),
      chainId,
      balance: `${balance}`,
    }),
  };
}
