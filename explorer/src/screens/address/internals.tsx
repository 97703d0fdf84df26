/** Calls of contracts that moved coins from or to an account, and creations. One request for a page. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { usePages } from "../../api/queries.ts";
import { Amount } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { type AccountChain, ChainPicker } from "./evm-chains.tsx";
import type { TabProps } from "./tab-props.ts";

type Internal = components["schemas"]["InternalTransaction"];

export function Internals({ address, overview, chainId }: TabProps) {
  return (
    <ChainPicker address={address} overview={overview} chainId={chainId} tab="internal">
      {(chain) => <InternalsOf chain={chain} address={address} />}
    </ChainPicker>
  );
}

function InternalsOf({ chain, address }: { readonly chain: AccountChain; readonly address: string }) {
  const { evmChainId } = chain;
  const pages = usePages(
    ["internals", evmChainId, address],
    (pageToken) => {
      const params = { path: { chainId: evmChainId, address }, query: pageToken === undefined ? {} : { pageToken } };
      return answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}/transactions:listInternals", { params }));
    },
    ({ transactions }) => transactions,
    { follows: evmChainId },
  );
  const isIncomplete = pages.data?.pages.some((page) => page.isIncomplete) ?? false;
  return (
    <section class="card">
      <h2>Internal transactions</h2>
      <p class="quiet">What contracts did in somebody's transaction: calls that moved coins from or to this address, and creations.</p>
      {isIncomplete && <p class="notice">No node told the calls of some transactions, so their internal transactions are missing.</p>}
      <List
        label="Internal transactions"
        of={{ ...pages, items: pages.items?.map((item, place) => ({ ...item, place })) }}
        columns={columns(chain, address)}
        keyOf={({ place }) => `${place}`}
        empty="There is none."
      />
    </section>
  );
}

function columns({ evmChainId, symbol, decimals }: AccountChain, address: string): readonly Column<Internal & { place: number }>[] {
  const account = (of: string) => (of === address ? "this address" : <Id value={of} href={to.evmAddress(evmChainId, of)} />);
  return [
    { name: "Transaction", cell: ({ txHash }) => <Id value={txHash} href={to.evmTransaction(evmChainId, txHash)} /> },
    { name: "Time", cell: ({ blockTimestamp }) => <Time seconds={blockTimestamp} /> },
    {
      name: "Kind",
      cell: ({ internalTxType, isReverted }) => (
        <>
          {internalTxType} {isReverted && <span class="badge bad">reverted</span>}
        </>
      ),
    },
    { name: "From", cell: ({ from }) => account(from.address) },
    { name: "To", cell: (item) => account(item.to.address) },
    { name: "Amount", isNumber: true, cell: ({ value }) => <Amount value={value} decimals={decimals} symbol={symbol} /> },
  ];
}
