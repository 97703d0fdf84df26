/** Transfers, holders and NFTs of a token. One request for each page. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { usePages } from "../../api/queries.ts";
import { Amount, count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { transferColumns } from "./columns.tsx";
import { IfAvailable } from "./parts.tsx";
import { shareOf } from "./share-of.ts";
import { NftLink } from "./transfers.tsx";

interface ListOfToken {
  readonly chainId: string;
  readonly address: string;
}

const PAGE_SIZE = 25;

interface TransfersProps extends ListOfToken {
  /** of one NFT alone */
  readonly tokenId?: string;
}

export function TokenTransfers({ chainId, address, tokenId }: TransfersProps) {
  const transfers = usePages(
    ["evmTokenTransfers", chainId, address, tokenId],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/tokens/{address}/transfers", {
          params: {
            path: { chainId, address },
            query: { pageSize: PAGE_SIZE, ...(tokenId && { tokenId }), ...(pageToken && { pageToken }) },
          },
        }),
      ),
    // items of one batch share their log's index, and stand in their order
    (page) => page.transfers.map((transfer, i) => ({ ...transfer, key: `${page.nextPageToken} ${i}` })),
    { follows: chainId },
  );
  const first = transfers.data?.pages[0]?.transfersFromBlock;
  return (
    <>
      {first !== undefined && (
        <p class="notice">
          Transfers before block {count(first)} are missing: a version of Firn that did not list them by NFT indexed these blocks.
        </p>
      )}
      <List
        of={transfers}
        label="Transfers"
        columns={transferColumns(chainId)}
        keyOf={({ key }) => key}
        empty="The index has no transfer of this token."
      />
    </>
  );
}

type Holder = components["schemas"]["TokenHolder"];

interface HoldersProps extends ListOfToken {
  /** whose decimals and supply are known */
  readonly token: { readonly ercType: string; readonly decimals?: number | undefined; readonly supply: string } | undefined;
  /** of ERC-1155 */
  readonly tokenId?: string;
}

export function TokenHolders({ chainId, address, token, tokenId }: HoldersProps) {
  const holders = usePages(
    ["evmTokenHolders", chainId, address, tokenId],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/tokens/{address}/holders", {
          params: {
            path: { chainId, address },
            query: { pageSize: PAGE_SIZE, ...(tokenId && { tokenId }), ...(pageToken && { pageToken }) },
          },
        }),
      ),
    (page) => page.holders,
    { follows: chainId, isRetried: false },
  );
  const columns: Column<Holder>[] = [
    { name: "Holder", cell: ({ address: holder }) => <Id value={holder} href={to.evmAddress(chainId, holder)} hasCopy /> },
    {
      name: "Balance",
      isNumber: true,
      cell: ({ balance }) => (token?.ercType === "ERC-20" ? <Amount value={balance} decimals={token.decimals} /> : count(balance)),
    },
    ...(token === undefined || tokenId !== undefined
      ? []
      : [{ name: "Share of the supply", isNumber: true, cell: ({ balance }: Holder) => shareOf(balance, token.supply) }]),
  ];
  const isExact = holders.data?.pages[0]?.isExact ?? true;
  return (
    <>
      {!isExact && <p class="notice">The transfers of this token do not determine its balances: these are what the transfers say.</p>}
      <IfAvailable of={holders}>
        <List of={holders} label="Holders" columns={columns} keyOf={({ address: holder }) => holder} empty="Nobody holds any." />
      </IfAvailable>
    </>
  );
}

type Nft = components["schemas"]["Token"];

export function Nfts({ chainId, address }: ListOfToken) {
  const nfts = usePages(
    ["evmNfts", chainId, address],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/nfts/collections/{address}/tokens", {
          params: { path: { chainId, address }, query: { pageSize: PAGE_SIZE, ...(pageToken && { pageToken }) } },
        }),
      ),
    (page) => page.tokens,
    { follows: chainId },
  );
  const columns: Column<Nft>[] = [
    { name: "NFT", cell: ({ tokenId }) => <NftLink chainId={chainId} address={address} tokenId={tokenId} /> },
    { name: "Name", cell: ({ metadata }) => metadata.name && <ChainText text={metadata.name} longest={60} /> },
    {
      name: "Owner",
      cell: (nft) =>
        "ownerAddress" in nft && nft.ownerAddress !== undefined ? (
          <Id value={nft.ownerAddress} href={to.evmAddress(chainId, nft.ownerAddress)} />
        ) : (
          <a href={to.nft(chainId, address, nft.tokenId)}>its holders</a>
        ),
    },
  ];
  return <List of={nfts} label="NFTs" columns={columns} keyOf={({ tokenId }) => tokenId} empty="The collection has no NFTs." />;
}
