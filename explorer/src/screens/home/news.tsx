/** What an overview says of each chain, in the form that the home page shows. */
import type { ComponentChildren } from "preact";
import type { components } from "../../api/data-api.d.ts";
import type { Overview } from "../../api/overview.ts";
import { Amount } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { to } from "../../router.ts";

export interface NewsItem {
  readonly id: string;
  readonly href: string;
  readonly text: ComponentChildren;
  /** Unix seconds */
  readonly timestamp: number;
}

export interface NewsList {
  readonly name: string;
  /** to all of them */
  readonly href: string;
  readonly items: readonly NewsItem[];
}

export interface ChainNews {
  /** alias or EVM chain ID, as the headers name the chain */
  readonly id: string;
  readonly name: ComponentChildren;
  readonly href: string;
  readonly height: string | undefined;
  readonly timestamp: number | undefined;
  readonly lists: readonly NewsList[];
}

type PrimaryChain = components["schemas"]["OverviewChain"];
type EvmChain = components["schemas"]["OverviewEvmChain"];

/** The C-chain of the primary network is one chain: what its EVM did, and its imports and exports. */
export function newsOf({ chains, evmChains }: Overview): readonly ChainNews[] {
  const c = chains.find(({ alias }) => alias === "C");
  const isC = ({ blockchainId }: EvmChain) => blockchainId !== undefined && blockchainId === c?.blockchainId;
  const primary = chains.filter((chain) => chain !== c || !evmChains.some(isC)).map(newsOfPrimary);
  // C stands beside P and X, whatever its ID
  const inOrder = [...evmChains.filter(isC), ...evmChains.filter((chain) => !isC(chain))];
  return [...primary, ...inOrder.map((chain) => newsOfEvm(chain, isC(chain) ? c : undefined))];
}

function newsOfPrimary(chain: PrimaryChain): ChainNews {
  const { alias, height, timestamp, blocks } = chain;
  const items = blocks.map(({ blockHash, blockNumber, blockTimestamp, blockType, txCount }) => ({
    id: blockHash,
    href: to.block(alias, blockNumber),
    text: `${blockNumber} · ${blockType}, ${transactions(txCount)}`,
    timestamp: blockTimestamp,
  }));
  return {
    ...{ id: alias, name: <ChainName alias={alias} />, href: to.blocks(alias), height, timestamp },
    lists: [{ name: "Blocks", href: to.blocks(alias), items }, transactionList(chain)],
  };
}

function transactionList({ alias, transactions: latest }: PrimaryChain): NewsList {
  const items = latest.map(({ txHash, txType, blockTimestamp }) => ({
    id: txHash,
    href: to.transaction(alias, txHash),
    text: txType,
    timestamp: blockTimestamp,
  }));
  return { name: alias === "C" ? "Imports and exports" : "Transactions", href: to.transactions(alias), items };
}

function newsOfEvm(chain: EvmChain, atomic: PrimaryChain | undefined): ChainNews {
  const { evmChainId, name, height, timestamp, blocks } = chain;
  const items = blocks.map(({ blockHash, blockNumber, blockTimestamp, txCount }) => ({
    id: blockHash,
    href: to.evmBlock(evmChainId, blockNumber),
    text: `${blockNumber} · ${transactions(txCount)}`,
    timestamp: blockTimestamp,
  }));
  return {
    id: evmChainId,
    name: atomic === undefined ? <ChainName alias={evmChainId} name={name} /> : <ChainName alias="C" />,
    href: to.evm(evmChainId),
    height,
    timestamp,
    lists: [
      { name: "Blocks", href: to.evmBlocks(evmChainId), items },
      evmTransactionList(chain),
      ...(atomic !== undefined && atomic.transactions.length > 0 ? [transactionList(atomic)] : []),
    ],
  };
}

function evmTransactionList({ evmChainId, symbol, decimals, transactions: latest }: EvmChain): NewsList {
  const items = latest.map(({ txHash, txStatus, blockTimestamp, value, method }) => ({
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
  }));
  return { name: "Transactions", href: to.evmTransactions(evmChainId), items };
}

function transactions(number: number): string {
  return `${number} ${number === 1 ? "transaction" : "transactions"}`;
}
