/** Tokens of an EVM chain, the newest first. One request for each page. */
import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { usePages } from "../../api/queries.ts";
import { Amount, count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { Identicon } from "../../components/identicon.tsx";
import type { Params } from "../../components/screen.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";
import { IfAvailable } from "./parts.tsx";

type Token = components["schemas"]["ChainToken"];

const PAGE_SIZE = 25;
const STANDARDS = ["ERC-20", "ERC-721", "ERC-1155"] as const;
const LONGEST_NAME = 40;

export function EvmTokens({ params }: { readonly params: Params }) {
  return <OfChain chainId={params.chainId!}>{(chain) => <Tokens chain={chain} />}</OfChain>;
}

function tokenColumns({ chainId }: EvmChain): readonly Column<Token>[] {
  return [
    {
      name: "Token",
      cell: ({ address, name, symbol }) => (
        <a href={to.token(chainId, address)}>
          <Identicon of={address} /> <ChainText text={name || symbol || "without a name"} longest={LONGEST_NAME} />
        </a>
      ),
    },
    { name: "Symbol", cell: ({ symbol }) => <ChainText text={symbol} longest={24} /> },
    { name: "Standard", cell: ({ ercType }) => ercType },
    { name: "Contract", cell: ({ address }) => <Id value={address} href={to.contract(chainId, address)} hasCopy /> },
    { name: "Supply", isNumber: true, cell: ({ supply, decimals }) => <Amount value={supply} decimals={decimals} /> },
    { name: "Holders", isNumber: true, cell: ({ holderCount }) => (holderCount === undefined ? "–" : count(holderCount)) },
    { name: "Transfers", isNumber: true, cell: ({ transferCount }) => count(transferCount) },
    {
      name: "First block",
      isNumber: true,
      cell: ({ firstBlockNumber: block }) => <a href={to.evmBlock(chainId, block)}>{count(block)}</a>,
    },
  ];
}

function Tokens({ chain }: { readonly chain: EvmChain }) {
  const { chainId } = chain;
  const [ercType, setType] = useState<Token["ercType"]>();
  const tokens = usePages(
    ["evmTokens", chainId, ercType],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/tokens", {
          params: { path: { chainId }, query: { pageSize: PAGE_SIZE, ...(ercType && { ercType }), ...(pageToken && { pageToken }) } },
        }),
      ),
    (page) => page.tokens,
    { follows: chainId, isRetried: false },
  );
  return (
    <>
      <Title text={`Tokens of ${chain.name}`}>
        Tokens of <ChainLink chain={chain} />
      </Title>
      <p class="filters">
        <label>
          Standard
          <select value={ercType ?? ""} onChange={({ currentTarget }) => setType(STANDARDS.find((known) => known === currentTarget.value))}>
            <option value="">all</option>
            {STANDARDS.map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </select>
        </label>
      </p>
      <IfAvailable of={tokens}>
        <List
          of={tokens}
          label="Tokens"
          columns={tokenColumns(chain)}
          keyOf={({ address }) => address}
          empty={
            ercType === undefined
              ? "No token has logged a transfer on this chain yet."
              : `No ${ercType} token has logged a transfer on this chain yet.`
          }
        />
      </IfAvailable>
    </>
  );
}
