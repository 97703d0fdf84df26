/** A block of an EVM chain. Three requests: the chain, the block, the first page of its transactions; on a devnet one more for its header, once that is opened. */
import { useState } from "preact/hooks";
import { answerOf, data, rpc } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useOverview } from "../../api/overview.ts";
import { useAnswer, usePages } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { transactionColumns } from "./columns.tsx";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";
import { BaseFee, Coins, Milliseconds } from "./parts.tsx";
import { rpcPath } from "./rpc-path.ts";
import { shareOf } from "./share-of.ts";

type Block = components["schemas"]["EvmBlock"];

const PAGE_SIZE = 25;

export function EvmBlockScreen({ params }: { readonly params: Params }) {
  return <OfChain chainId={params.chainId!}>{(chain) => <BlockOfChain chain={chain} blockId={params.id!} />}</OfChain>;
}

function BlockOfChain({ chain, blockId }: { readonly chain: EvmChain; readonly blockId: string }) {
  const { chainId } = chain;
  const block = useAnswer(["evmBlock", chainId, blockId], () =>
    answerOf(data.GET("/v1/chains/{chainId}/blocks/{blockId}", { params: { path: { chainId, blockId } } })),
  );
  const number = block.data?.blockNumber;
  const text = `Block ${number === undefined ? blockId : count(number)}`;
  return (
    <>
      <Title text={`${text} of ${chain.name}`}>
        {text} of <ChainLink chain={chain} />
      </Title>
      <Answer of={block}>
        {(answer) => (
          <>
            <Neighbours chainId={chainId} number={BigInt(answer.blockNumber)} />
            <BlockFacts chain={chain} of={answer} />
            <AtomicTransactions chain={chain} of={answer} />
            <BlockTransactions chain={chain} of={answer} />
            <Header chain={chain} of={answer} />
          </>
        )}
      </Answer>
    </>
  );
}

function Neighbours({ chainId, number }: { readonly chainId: string; readonly number: bigint }) {
  const { data: overview } = useOverview();
  const newest = overview?.evmChains.find(({ evmChainId }) => evmChainId === chainId)?.height;
  return (
    <nav class="filters" aria-label="Neighbouring blocks">
      {number > 0n && <a href={to.evmBlock(chainId, `${number - 1n}`)}>← Block {count(number - 1n)}</a>}
      {(newest === undefined || number < BigInt(newest)) && (
        <a href={to.evmBlock(chainId, `${number + 1n}`)}>Block {count(number + 1n)} →</a>
      )}
    </nav>
  );
}

function BlockFacts({ chain, of }: { readonly chain: EvmChain; readonly of: Block }) {
  const { blockMinDelayExcess } = of;
  return (
    <section class="card">
      <Facts>
        <Fact name="Hash">
          <Id value={of.blockHash} isWhole />
        </Fact>
        <Fact name="Time">
          <Time seconds={of.blockTimestamp} />
          <Milliseconds of={of.blockTimestampMilliseconds} />
        </Fact>
        <Fact name="Parent">
          <Id value={of.parentHash} {...(of.blockNumber !== "0" && { href: to.evmBlock(chain.chainId, of.parentHash) })} isWhole />
        </Fact>
        <Fact name="Transactions">
          {count(of.txCount)} <span class="quiet">({count(of.cumulativeTransactions)} on the chain up to here)</span>
        </Fact>
        <Fact name="Gas used">
          {count(of.gasUsed)} of {count(of.gasLimit)} ({shareOf(of.gasUsed, of.gasLimit)})
        </Fact>
        <Fact name="Base fee">
          <BaseFee value={of.baseFee} isBound={of.isBaseFeeBound} />
        </Fact>
        <Fact name="Fees">
          <Coins value={of.feesSpent} chain={chain} />
        </Fact>
        <Fact name="Block gas cost">{of.gasCost !== "0" && `${count(of.gasCost)} gas`}</Fact>
        <Fact name="Minimum delay excess">{blockMinDelayExcess !== undefined && count(blockMinDelayExcess)}</Fact>
      </Facts>
    </section>
  );
}

function AtomicTransactions({ chain: { isC }, of: { atomicTransactions = [] } }: { readonly chain: EvmChain; readonly of: Block }) {
  if (atomicTransactions.length === 0) return null;
  return (
    <section class="card">
      <h2>Imports and exports</h2>
      <ul class="plain-list">
        {atomicTransactions.map(({ txHash, txType }) => (
          <li key={txHash} class="row">
            <Id value={txHash} href={isC ? to.transaction("C", txHash) : undefined} hasCopy />
            <span>{txType}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function BlockTransactions({ chain, of: { blockHash: blockId } }: { readonly chain: EvmChain; readonly of: Block }) {
  const { chainId } = chain;
  const transactions = usePages(
    ["evmBlockTransactions", chainId, blockId],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/blocks/{blockId}/transactions", {
          params: { path: { chainId, blockId }, query: { pageSize: PAGE_SIZE, ...(pageToken && { pageToken }) } },
        }),
      ),
    (page) => page.transactions,
  );
  return (
    <section class="card">
      <h2>Transactions</h2>
      <List
        of={transactions}
        label="Transactions of the block"
        columns={transactionColumns(chain, { isOfBlock: true })}
        keyOf={({ txHash }) => txHash}
        empty="The block has no transaction of the EVM."
      />
    </section>
  );
}

/** The header as the chain's EVM has it, which only a devnet's server can tell. */
function Header({ chain, of: { blockHash } }: { readonly chain: EvmChain; readonly of: Block }) {
  const [isOpen, setOpen] = useState(false);
  const path = rpcPath(chain, useOverview().data);
  const header = useAnswer(
    ["evmHeader", chain.chainId, blockHash],
    () => rpc<Record<string, unknown>>(path!, "eth_getBlockByHash", [blockHash, false]),
    { isWanted: isOpen && path !== undefined },
  );
  if (path === undefined) return null;
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Header, as the EVM has it</summary>
      {isOpen && <Answer of={header}>{(fields) => <HeaderFields of={fields} />}</Answer>}
    </details>
  );
}

const LONGEST_FIELD = 600;

function HeaderFields({ of }: { readonly of: Record<string, unknown> }) {
  return (
    <Facts>
      {Object.entries(of).flatMap(([name, value]) =>
        typeof value === "string" ? (
          <Fact key={name} name={name}>
            <code>
              <ChainText text={value} longest={LONGEST_FIELD} />
            </code>
          </Fact>
        ) : (
          []
        ),
      )}
    </Facts>
  );
}
