/** NFTs of an account on one chain. One request for a page, and one for each picture that comes into view. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { usePages } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { type AccountChain, ChainPicker } from "./evm-chains.tsx";
import { NftThumbnail } from "./nft-thumbnail.tsx";
import type { TabProps } from "./tab-props.ts";

type Nft = components["schemas"]["CollectibleBalance"];

export function Nfts({ address, overview, chainId }: TabProps) {
  return (
    <ChainPicker address={address} overview={overview} chainId={chainId} tab="nfts">
      {(chain) => <NftsOf chain={chain} address={address} />}
    </ChainPicker>
  );
}

function NftsOf({ chain: { evmChainId, nftPictures }, address }: { readonly chain: AccountChain; readonly address: string }) {
  const nfts = usePages(
    ["NFTs of account", evmChainId, address],
    (pageToken) => {
      const params = { path: { chainId: evmChainId, address }, query: pageToken === undefined ? {} : { pageToken } };
      return answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles", { params }));
    },
    ({ collectibleBalances }) => collectibleBalances,
    { follows: evmChainId },
  );
  return (
    <section class="card">
      <h2>NFTs</h2>
      <List label="NFTs" of={nfts} columns={columns(nftPictures)} keyOf={(nft) => `${nft.address} ${nft.tokenId}`} empty="It has no NFT." />
    </section>
  );
}

function columns(arePicturesFetched: boolean): readonly Column<Nft>[] {
  return [{ name: "Picture", cell: (nft) => <NftThumbnail nft={nft} isFetched={arePicturesFetched} /> }, ...COLUMNS];
}

const COLUMNS: readonly Column<Nft>[] = [
  {
    name: "NFT",
    cell: ({ address, tokenId, chainId, metadata: { name } }) => (
      <a href={to.nft(chainId, address, tokenId)}>
        <ChainText text={name ?? `#${tokenId}`} longest={60} />
      </a>
    ),
  },
  {
    name: "Collection",
    cell: (nft) => (
      <>
        {"name" in nft && nft.name !== "" && (
          <div>
            <ChainText text={nft.name} longest={60} />
          </div>
        )}
        <Id value={nft.address} href={to.token(nft.chainId, nft.address)} />
      </>
    ),
  },
  { name: "Token ID", cell: ({ tokenId }) => <Id value={tokenId} /> },
  { name: "Standard", cell: ({ ercType }) => ercType },
  { name: "Balance", isNumber: true, cell: (nft) => ("balance" in nft ? count(nft.balance) : "1") },
];
