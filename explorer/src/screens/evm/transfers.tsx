/** Transfers of tokens: how much of what. */
import type { components } from "../../api/data-api.d.ts";
import { Amount, count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { Identicon } from "../../components/identicon.tsx";
import type { Column } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { Holder } from "./parts.tsx";
import type { Transfer } from "./token-movements.ts";

type Schemas = components["schemas"];
export type PlacedTransfer = Schemas["Transfer"];

const LONGEST = 24;

/** A token by its symbol or name, which leads to its page. */
export function TokenLink({
  chainId,
  of: { address, symbol, name },
}: {
  chainId: string;
  of: { address: string; symbol?: string; name?: string };
}) {
  const text = symbol || name;
  if (!text) return <Id value={address} href={to.token(chainId, address)} />;
  return (
    <a href={to.token(chainId, address)} title={address}>
      <Identicon of={address} /> <ChainText text={text} longest={LONGEST} />
    </a>
  );
}

/** One NFT of a collection, by its number; it leads to the NFT's page. */
export function NftLink({ chainId, address, tokenId }: { chainId: string; address: string; tokenId: string }) {
  const shown = tokenId.length > LONGEST ? `${tokenId.slice(0, 8)}…${tokenId.slice(-8)}` : tokenId;
  return (
    <a href={to.nft(chainId, address, tokenId)} title={tokenId}>
      #{shown}
    </a>
  );
}

/** `12.5 USDC`, `ART #7`, `3 × GEM #7` */
export function Transferred({ chainId, of }: { readonly chainId: string; readonly of: Transfer }) {
  if ("erc20Token" in of) {
    const { erc20Token: token, value } = of;
    return (
      <>
        <Amount value={value} decimals={token.decimals} /> <TokenLink chainId={chainId} of={token} />
      </>
    );
  }
  if ("erc721Token" in of) {
    const { erc721Token: token } = of;
    return (
      <>
        <TokenLink chainId={chainId} of={token} /> <NftLink chainId={chainId} address={token.address} tokenId={token.tokenId} />
      </>
    );
  }
  const { erc1155Token: token, value } = of;
  return (
    <>
      {count(value)} × <TokenLink chainId={chainId} of={{ address: token.address, ...symbolOf(token) }} />{" "}
      <NftLink chainId={chainId} address={token.address} tokenId={token.tokenId} />
    </>
  );
}

function symbolOf({ metadata: { symbol, name } }: Schemas["Erc1155Token"]): { symbol?: string; name?: string } {
  return { ...(symbol !== undefined && { symbol }), ...(name !== undefined && { name }) };
}

type NumberedTransfer = Transfer & { readonly key: string };

/** All token transfers of a transaction in the order of their logs. */
export function transfersOf({
  erc20Transfers = [],
  erc721Transfers = [],
  erc1155Transfers = [],
}: Schemas["GetTransactionResponse"]): NumberedTransfer[] {
  // items of one batch share their log's index, and stand in their order
  return [...erc20Transfers, ...erc721Transfers, ...erc1155Transfers]
    .toSorted((a, b) => a.logIndex - b.logIndex)
    .map((transfer, i) => ({ ...transfer, key: `${i}` }));
}

export function transferInTransactionColumns(chainId: string): readonly Column<NumberedTransfer>[] {
  return [
    { name: "Amount", cell: (transfer) => <Transferred chainId={chainId} of={transfer} /> },
    { name: "From", cell: ({ from }) => <Holder chainId={chainId} of={from} ifNobody="mint" /> },
    { name: "To", cell: ({ to: recipient }) => <Holder chainId={chainId} of={recipient} ifNobody="burn" /> },
    { name: "Standard", cell: (transfer) => ("erc20Token" in transfer ? "ERC-20" : "erc721Token" in transfer ? "ERC-721" : "ERC-1155") },
    { name: "Log", isNumber: true, cell: ({ logIndex }) => count(logIndex) },
  ];
}
