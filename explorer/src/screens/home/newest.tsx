/** The newest blocks and transactions of one chain. */
import type { components } from "../../api/data-api.d.ts";
import { Amount } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { Empty } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";

interface NewestItem {
  readonly id: string;
  readonly href: string;
  readonly text: preact.ComponentChildren;
  readonly timestamp: number;
}

interface NewestOfChain {
  readonly name: preact.ComponentChildren;
  readonly blocks: readonly NewestItem[];
  readonly blocksHref: string;
  readonly transactions: readonly NewestItem[];
  readonly transactionsHref: string;
  /** what the transactions are, if not all */
  readonly transactionsName: string;
}

export function newestOfPrimaryChain({ alias, blocks, transactions }: components["schemas"]["OverviewChain"]): NewestOfChain {
  return {
    name: <ChainName alias={alias} />,
    blocksHref: to.blocks(alias),
    transactionsHref: to.transactions(alias),
    transactionsName: alias === "C" ? "Imports and exports" : "Transactions",
    blocks:
      alias === "C"
        ? []
        : blocks.map(({ blockHash, blockNumber, blockTimestamp, blockType, txCount }) => ({
            id: blockHash,
            href: to.block(alias, blockNumber),
            text: `${blockNumber} · ${blockType}, ${plural(txCount, "transaction")}`,
            timestamp: blockTimestamp,
          })),
    transactions: transactions.map(({ txHash, txType, blockTimestamp }) => ({
      id: txHash,
      href: to.transaction(alias, txHash),
      text: txType,
      timestamp: blockTimestamp,
    })),
  };
}

export function newestOfEvmChain({
  evmChainId,
  name,
  symbol,
  decimals,
  blocks,
  transactions,
}: components["schemas"]["OverviewEvmChain"]): NewestOfChain {
  return {
    name: <ChainName alias={evmChainId} name={name} />,
    blocksHref: to.evmBlocks(evmChainId),
    transactionsHref: to.evmTransactions(evmChainId),
    transactionsName: "Transactions",
    blocks: blocks.map(({ blockHash, blockNumber, blockTimestamp, txCount }) => ({
      id: blockHash,
      href: to.evmBlock(evmChainId, blockNumber),
      text: `${blockNumber} · ${plural(txCount, "transaction")}`,
      timestamp: blockTimestamp,
    })),
    transactions: transactions.map(({ txHash, txStatus, blockTimestamp, value, method }) => ({
      id: txHash,
      href: to.evmTransaction(evmChainId, txHash),
      text: (
        <>
          <ChainText text={method.methodName ?? method.methodHash} longest={40} /> ·{" "}
          <Amount value={value} decimals={decimals} symbol={symbol} />
          {txStatus === "0" && <span class="badge bad">failed</span>}
        </>
      ),
      timestamp: blockTimestamp,
    })),
  };
}

function plural(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

export function Newest({ of }: { readonly of: NewestOfChain }) {
  return (
    <>
      {of.blocks.length > 0 && (
        <section class="card">
          <h2>
            <a href={of.blocksHref}>{of.name} blocks</a>
          </h2>
          <Items items={of.blocks} />
        </section>
      )}
      <section class="card">
        <h2>
          <a href={of.transactionsHref}>
            {of.name} {of.transactionsName.toLowerCase()}
          </a>
        </h2>
        {of.transactions.length === 0 ? <Empty>There is none yet.</Empty> : <Items items={of.transactions} />}
      </section>
    </>
  );
}

function Items({ items }: { readonly items: readonly NewestItem[] }) {
  return (
    <ul class="plain-list">
      {items.map(({ id, href, text, timestamp }) => (
        <li key={id}>
          <div class="row">
            <Id value={id} href={href} />
            <span>{text}</span>
          </div>
          <span class="quiet">
            <Time seconds={timestamp} />
          </span>
        </li>
      ))}
    </ul>
  );
}
