/** Columns of lists of blocks, transactions and token transfers. */
import type { components } from "../../api/data-api.d.ts";
import { Amount, count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import type { EvmChain } from "./evm-chain.tsx";
import { BaseFee, Holder, Method, Outcome, Party } from "./parts.tsx";
import { shareOf } from "./share-of.ts";
import { type PlacedTransfer, Transferred } from "./transfers.tsx";

type Block = components["schemas"]["EvmBlock"];
type Transaction = components["schemas"]["NativeTransaction"];

export function blockColumns(chain: EvmChain): readonly Column<Block>[] {
  const { chainId } = chain;
  return [
    { name: "Block", cell: ({ blockNumber }) => <a href={to.evmBlock(chainId, blockNumber)}>{count(blockNumber)}</a> },
    { name: "Time", cell: ({ blockTimestamp }) => <Time seconds={blockTimestamp} /> },
    { name: "Transactions", isNumber: true, cell: ({ txCount }) => count(txCount) },
    { name: "Imports and exports", isNumber: true, cell: ({ atomicTransactions = [] }) => count(atomicTransactions.length) },
    {
      name: "Gas used",
      isNumber: true,
      cell: ({ gasUsed, gasLimit }) => (
        <>
          {count(gasUsed)} <span class="quiet">({shareOf(gasUsed, gasLimit)})</span>
        </>
      ),
    },
    {
      name: "Base fee",
      unit: "gwei",
      isNumber: true,
      cell: ({ baseFee, isBaseFeeBound }) => <BaseFee value={baseFee} isBound={isBaseFeeBound} hasUnit={false} />,
    },
  ];
}

export function transactionColumns(chain: EvmChain, { isOfBlock = false } = {}): readonly Column<Transaction>[] {
  const { chainId, symbol: unit, decimals } = chain;
  const place: Column<Transaction>[] = [
    { name: "Block", cell: ({ blockNumber }) => <a href={to.evmBlock(chainId, blockNumber)}>{count(blockNumber)}</a> },
    { name: "Time", cell: ({ blockTimestamp }) => <Time seconds={blockTimestamp} /> },
  ];
  return [
    {
      name: "Transaction",
      cell: ({ txHash, txStatus }) => (
        <>
          <Id value={txHash} href={to.evmTransaction(chainId, txHash)} /> {txStatus === "0" && <Outcome status="0" />}
        </>
      ),
    },
    { name: "Method", cell: ({ method, to: { address } }) => <Method of={method} chainId={chainId} contract={address} /> },
    ...(isOfBlock ? [] : place),
    { name: "From", cell: ({ from }) => <Party chainId={chainId} of={from} /> },
    { name: "To", cell: ({ to: recipient }) => <Party chainId={chainId} of={recipient} /> },
    { name: "Value", unit, isNumber: true, cell: ({ value }) => <Amount value={value} decimals={decimals} /> },
    {
      name: "Fee",
      unit,
      isNumber: true,
      cell: ({ gasUsed, gasPrice }) => <Amount value={BigInt(gasUsed) * BigInt(gasPrice)} decimals={decimals} />,
    },
  ];
}

export function transferColumns(chainId: string): readonly Column<PlacedTransfer>[] {
  return [
    { name: "Transaction", cell: ({ txHash }) => <Id value={txHash} href={to.evmTransaction(chainId, txHash)} /> },
    { name: "Time", cell: ({ blockTimestamp }) => <Time seconds={blockTimestamp} /> },
    { name: "From", cell: ({ from }) => <Holder chainId={chainId} of={from} ifNobody="mint" /> },
    { name: "To", cell: ({ to: recipient }) => <Holder chainId={chainId} of={recipient} ifNobody="burn" /> },
    { name: "Amount", isNumber: true, cell: (transfer) => <Transferred chainId={chainId} of={transfer} /> },
  ];
}
