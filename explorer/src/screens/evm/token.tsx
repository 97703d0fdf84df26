/**
 * A token of any standard. Three requests: the chain, the token, the first page of the tab. Where sums are not kept, the contract's name is
 * asked for instead.
 */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { ApiError } from "../../api/errors.ts";
import { useAnswer } from "../../api/queries.ts";
import { Amount, count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Identicon } from "../../components/identicon.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { ContractFacts, Deployment, useContract } from "./contract-facts.tsx";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";
import { IfAvailable } from "./parts.tsx";
import { Nfts, TokenHolders, TokenTransfers } from "./token-lists.tsx";

export type Token = components["schemas"]["ChainToken"];

export function TokenScreen({ params }: { readonly params: Params }) {
  return (
    <OfChain chainId={params.chainId!}>
      {(chain) => <TokenOfChain chain={chain} address={params.address!} tab={params.tab ?? ""} />}
    </OfChain>
  );
}

interface TokenProps {
  readonly chain: EvmChain;
  readonly address: string;
  readonly tab: string;
}

const LONGEST_NAME = 80;

function TokenOfChain({ chain, address, tab }: TokenProps) {
  const { chainId } = chain;
  const token = useAnswer(
    ["evmToken", chainId, address],
    () => answerOf(data.GET("/v1/chains/{chainId}/tokens/{address}", { params: { path: { chainId, address } } })),
    { follows: chainId, isRetried: false },
  );
  const lacksSums = token.error instanceof ApiError && token.error.status === 503;
  const contract = useContract(chainId, address, lacksSums);
  const name = token.data?.name || token.data?.symbol || contract.data?.name || address;
  const standard = token.data?.ercType ?? contract.data?.ercType;
  return (
    <>
      <Title text={`Token ${name}`}>
        <Identicon of={address} /> Token <ChainText text={name} longest={LONGEST_NAME} /> of <ChainLink chain={chain} />
      </Title>
      <IfAvailable of={token}>
        <Answer of={token}>
          {(answer) => (
            <section class="card">
              <TokenFacts chainId={chainId} of={answer} />
            </section>
          )}
        </Answer>
      </IfAvailable>
      {lacksSums && contract.data && (
        <section class="card">
          <ContractFacts chainId={chainId} of={contract.data} />
        </section>
      )}
      {standard !== undefined && <Lists chain={chain} address={address} tab={tab} standard={standard} token={token.data} />}
    </>
  );
}

function TokenFacts({ chainId, of }: { readonly chainId: string; readonly of: Token }) {
  const { address, name, symbol, ercType, decimals, supply, holderCount, transferCount, isExact, firstBlockNumber } = of;
  return (
    <Facts>
      <Fact name="Contract">
        <Id value={address} href={to.contract(chainId, address)} isWhole />
      </Fact>
      <Fact name="Name">{name !== "" && <ChainText text={name} />}</Fact>
      <Fact name="Symbol">{symbol !== "" && <ChainText text={symbol} />}</Fact>
      <Fact name="Standard">{ercType}</Fact>
      {decimals !== undefined && <Fact name="Decimals">{decimals}</Fact>}
      <Fact name="Supply">
        {ercType === "ERC-20" ? (
          <Amount value={supply} decimals={decimals} symbol={symbol} />
        ) : (
          `${count(supply)} ${ercType === "ERC-721" ? "NFTs" : "units of all token IDs"}`
        )}
      </Fact>
      <Fact name="Holders">{holderCount !== undefined && count(holderCount)}</Fact>
      <Fact name="Transfers">{count(transferCount)}</Fact>
      {of.price && (
        <Fact name="Price">
          {of.price.value} {of.price.currencyCode.toUpperCase()}
        </Fact>
      )}
      <Fact name="Reputation">
        {of.tokenReputation === "Malicious" ? <span class="badge bad">malicious</span> : of.tokenReputation?.toLowerCase()}
      </Fact>
      <Fact name="Exactness">
        {!isExact &&
          "Its transfers do not determine its balances: supply and holders are what the transfers say, and may differ from the contract."}
      </Fact>
      <Fact name="First log in block">
        <a href={to.evmBlock(chainId, firstBlockNumber)}>{count(firstBlockNumber)}</a>
      </Fact>
      <Deployment chainId={chainId} of={of.deploymentDetails} />
    </Facts>
  );
}

interface ListsProps extends TokenProps {
  readonly standard: components["schemas"]["Contract"]["ercType"];
  readonly token: Token | undefined;
}

function Lists({ chain: { chainId }, address, tab, standard, token }: ListsProps) {
  const hasNfts = standard === "ERC-721" || standard === "ERC-1155";
  const tabs = [
    { path: "", name: "Transfers" },
    // units of ERC-1155 are held by token ID
    ...(standard === "ERC-1155" ? [] : [{ path: "holders", name: "Holders" }]),
    ...(hasNfts ? [{ path: "nfts", name: "NFTs" }] : []),
  ];
  return (
    <>
      <Tabs label="Parts of the token" base={to.token(chainId, address)} tabs={tabs} current={tab} />
      <section class="card">
        {tab === "holders" ? (
          <TokenHolders chainId={chainId} address={address} token={token} />
        ) : tab === "nfts" ? (
          <Nfts chainId={chainId} address={address} />
        ) : (
          <TokenTransfers chainId={chainId} address={address} />
        )}
      </section>
    </>
  );
}
