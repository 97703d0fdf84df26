/**
 * Coins and ERC-20 tokens of an account on each EVM chain. Requests: the chains that it was active on, and two for each chain that is shown, of
 * which there are at most six until its reader asks for the others.
 */
import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useAnswer, usePages } from "../../api/queries.ts";
import { Amount } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { type Column, List } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { EvmChart } from "./balance-chart.tsx";
import { type AccountChain, useAccountChains } from "./evm-chains.tsx";
import type { TabProps } from "./tab-props.ts";

const CHAINS_AT_ONCE = 6;

export function EvmBalances({ address, overview, chainId }: TabProps) {
  const [shown, setShown] = useState(CHAINS_AT_ONCE);
  const chains = useAccountChains(address, overview, chainId);
  return (
    <Answer of={chains}>
      {(all) => (
        <>
          {all.slice(0, shown).map((chain) => (
            <ChainBalances key={chain.evmChainId} chain={chain} address={address} />
          ))}
          {all.length > shown && (
            <p class="more">
              <button type="button" onClick={() => setShown(shown + CHAINS_AT_ONCE)}>
                Show {Math.min(CHAINS_AT_ONCE, all.length - shown)} of {all.length - shown} more chains
              </button>
            </p>
          )}
        </>
      )}
    </Answer>
  );
}

interface OfChain {
  readonly chain: AccountChain;
  readonly address: string;
}

function ChainBalances({ chain, address }: OfChain) {
  const { evmChainId, name, isActive, symbol, decimals } = chain;
  const coin = useAnswer(
    ["coin of account", evmChainId, address],
    () =>
      answerOf(
        data.GET("/v1/chains/{chainId}/addresses/{address}/balances:getNative", { params: { path: { chainId: evmChainId, address } } }),
      ),
    { follows: evmChainId },
  );
  return (
    <section class="card">
      <h2>
        <a href={to.evm(evmChainId)}>
          <ChainName alias={evmChainId} name={name} />
        </a>{" "}
        {!isActive && <span class="badge quiet">no transactions</span>}
      </h2>
      <Answer of={coin}>
        {({ nativeTokenBalance: { balance } }) => (
          <>
            <p class="figure">
              <Amount value={balance} decimals={decimals} symbol={symbol} />
            </p>
            {isActive && <EvmChart chain={chain} address={address} balance={balance} />}
          </>
        )}
      </Answer>
      <h3>ERC-20 tokens</h3>
      <Tokens chain={chain} address={address} />
    </section>
  );
}

type TokenBalance = components["schemas"]["Erc20TokenBalance"];

function Tokens({ chain: { evmChainId }, address }: OfChain) {
  const tokens = usePages(
    ["tokens of account", evmChainId, address],
    (pageToken) => {
      const query = pageToken === undefined ? {} : { pageToken };
      const params = { path: { chainId: evmChainId, address }, query };
      return answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}/balances:listErc20", { params }));
    },
    ({ erc20TokenBalances }) => erc20TokenBalances,
    { follows: evmChainId },
  );
  return (
    <List label="ERC-20 tokens" of={tokens} columns={TOKEN_COLUMNS} keyOf={(token) => token.address} empty="It has no ERC-20 token." />
  );
}

const TOKEN_COLUMNS: readonly Column<TokenBalance>[] = [
  {
    name: "Token",
    cell: ({ name, address, chainId, tokenReputation }) => (
      <>
        <ChainText text={name || "a token without a name"} longest={60} />{" "}
        {tokenReputation === "Malicious" && <span class="badge bad">called malicious by this server's operator</span>}
        <div>
          <Id value={address} href={to.token(chainId, address)} />
        </div>
      </>
    ),
  },
  {
    name: "Balance",
    isNumber: true,
    cell: ({ balance, decimals, symbol }) => <Amount value={balance} decimals={decimals} symbol={symbol} />,
  },
];
