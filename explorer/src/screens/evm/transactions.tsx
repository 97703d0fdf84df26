/** Transactions of an EVM chain, newest first. One request for each page. */
import { answerOf, data } from "../../api/client.ts";
import { usePages } from "../../api/queries.ts";
import type { Params } from "../../components/screen.tsx";
import { List } from "../../components/table.tsx";
import { Title } from "../../components/title.tsx";
import { transactionColumns } from "./columns.tsx";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";

const PAGE_SIZE = 25;

export function EvmTransactions({ params }: { readonly params: Params }) {
  return <OfChain chainId={params.chainId!}>{(chain) => <Transactions chain={chain} />}</OfChain>;
}

function Transactions({ chain }: { readonly chain: EvmChain }) {
  return (
    <>
      <Title text={`Transactions of ${chain.name}`}>
        Transactions of <ChainLink chain={chain} />
      </Title>
      <NewestTransactions chain={chain} pageSize={PAGE_SIZE} />
    </>
  );
}

export function NewestTransactions({ chain, pageSize }: { readonly chain: EvmChain; readonly pageSize: number }) {
  const { chainId } = chain;
  const transactions = usePages(
    ["evmTransactions", chainId, pageSize],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/transactions", {
          params: { path: { chainId }, query: { pageSize, ...(pageToken && { pageToken }) } },
        }),
      ),
    (page) => page.transactions,
    { follows: chainId },
  );
  return (
    <List
      of={transactions}
      label="Transactions"
      columns={transactionColumns(chain)}
      keyOf={({ txHash }) => txHash}
      empty="The chain has no transaction in the index yet."
    />
  );
}
