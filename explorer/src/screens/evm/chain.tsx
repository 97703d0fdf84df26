/** An EVM chain: what it is, how much it is used, and its newest blocks and transactions. Four requests. */
import { useOverview } from "../../api/overview.ts";
import { count } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { Activity } from "./activity.tsx";
import { NewestBlocks } from "./blocks.tsx";
import { type EvmChain, OfChain } from "./evm-chain.tsx";
import { NewestTransactions } from "./transactions.tsx";

const SHOWN = 8;

export function EvmChainScreen({ params }: { readonly params: Params }) {
  return <OfChain chainId={params.chainId!}>{(chain) => <Chain chain={chain} />}</OfChain>;
}

const INTERNALS = {
  unavailable: "The chain's nodes have no call traces, so internal transactions are not known.",
  incomplete: "The internal transactions of some transactions are not known yet.",
};

function Chain({ chain }: { readonly chain: EvmChain }) {
  const { chainId, name, symbol, decimals, isC, hasP, info } = chain;
  const { data: overview } = useOverview();
  const now = overview?.evmChains.find(({ evmChainId }) => evmChainId === chainId);
  return (
    <>
      <Title text={name}>
        <ChainName alias={isC ? "C" : chainId} name={name} />
      </Title>
      {info.status === "UNAVAILABLE" && (
        <p class="notice">The chain is not indexed yet, or its index is older than the operator of this server allows.</p>
      )}
      <section class="card">
        <Facts>
          <Fact name="EVM chain ID">{chainId}</Fact>
          <Fact name="Description">{info.description !== "" && <ChainText text={info.description} />}</Fact>
          {now?.height !== undefined && <Fact name="Newest block">{count(now.height)}</Fact>}
          {now?.timestamp !== undefined && (
            <Fact name="Time of the newest block">
              <Time seconds={now.timestamp} />
            </Fact>
          )}
          <Fact name="Coin">
            <ChainText text={info.networkToken.name} /> (<ChainText text={symbol} longest={24} />, {decimals} decimals)
          </Fact>
          <Fact name="Blockchain">
            {info.platformChainId !== undefined && (
              <Id value={info.platformChainId} href={hasP ? to.blockchain(info.platformChainId) : undefined} isWhole />
            )}
          </Fact>
          <Fact name="Subnet">
            {info.subnetId !== undefined && <Id value={info.subnetId} href={hasP ? to.subnet(info.subnetId) : undefined} isWhole />}
          </Fact>
          <Fact name="Virtual machine">{info.vmId !== undefined && <Id value={info.vmId} isWhole />}</Fact>
          <Fact name="Internal transactions">{info.internalTransactions !== undefined && INTERNALS[info.internalTransactions]}</Fact>
          <Fact name="Lists">
            <a href={to.tokens(chainId)}>Tokens</a> · <a href={to.evmBlocks(chainId)}>Blocks</a> ·{" "}
            <a href={to.evmTransactions(chainId)}>Transactions</a>
            {info.platformChainId !== undefined && (
              <>
                {" "}
                · <a href={to.messages(chainId)}>Messages</a>
              </>
            )}
            {isC && (
              <>
                {" "}
                · <a href={to.transactions("C")}>Imports and exports</a>
              </>
            )}
          </Fact>
        </Facts>
      </section>
      <Activity chain={chain} />
      <section class="card">
        <h2>
          <a href={to.evmBlocks(chainId)}>Newest blocks</a>
        </h2>
        <NewestBlocks chain={chain} pageSize={SHOWN} />
      </section>
      <section class="card">
        <h2>
          <a href={to.evmTransactions(chainId)}>Newest transactions</a>
        </h2>
        <NewestTransactions chain={chain} pageSize={SHOWN} />
      </section>
    </>
  );
}
