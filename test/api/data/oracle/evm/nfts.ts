/** NFTs that have an owner after the last block, according to transfers. */
import type { OracleBlock } from "./world.ts";

export interface OracleNft {
  readonly kind: "erc721" | "erc1155";
  readonly token: string;
  readonly tokenId: bigint;
}

export function heldNfts(blocks: readonly OracleBlock[]): OracleNft[] {
  const met = new Map<string, { nft: OracleNft; holders: Map<string, bigint> }>();
  for (const { transactions } of blocks) {
    for (const { kind, token, tokenId, from, to, value } of transactions.flatMap(({ transfers }) => transfers)) {
      if (kind === "erc20") continue;
      const name = `${kind} ${nftName({ token, tokenId })}`;
      const { holders } = met.get(name) ?? { holders: new Map<string, bigint>() };
      met.set(name, { nft: { kind, token, tokenId }, holders });
      holders.set(from, (holders.get(from) ?? 0n) - value);
      holders.set(to, (holders.get(to) ?? 0n) + value);
    }
  }
  return [...met.values()]
    .filter(({ holders }) => [...holders].some(([holder, amount]) => BigInt(holder) !== 0n && amount > 0n))
    .map(({ nft }) => nft);
}

export function nftName({ token, tokenId }: { readonly token: string; readonly tokenId: bigint | string }): string {
  return `${token.toLowerCase()}/${tokenId}`;
}
