/**
 * What an address did and received, newest first, of several chains as one list. A page costs at most one request for each chain, and shows what
 * changed for this address.
 */
import { answerOf, data } from "../../api/client.ts";
import type { Overview } from "../../api/overview.ts";
import { usePages } from "../../api/queries.ts";
import { Amount } from "../../components/amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { type Change, type Coin, evmItem, type HistoryItem, primaryItem } from "./changes.ts";
import { ChainPicker } from "./evm-chains.tsx";
import { readMerged, type Source } from "./merged-pages.ts";
import { primaryChains, readTransactions } from "./primary.ts";
import type { TabProps } from "./tab-props.ts";

const PAGE_SIZE = 10;

function primarySource(chain: "P" | "X" | "C", address: string): Source<HistoryItem> {
  return async (pageToken) => {
    const { transactions, nextPageToken } = await readTransactions(chain, address, { pageSize: PAGE_SIZE, pageToken });
    return { items: transactions.map((tx) => primaryItem(chain, tx, address)), nextPageToken };
  };
}

function evmSource(coin: Coin, address: string): Source<HistoryItem> {
  return async (pageToken) => {
    const query = { pageSize: PAGE_SIZE, ...(pageToken !== undefined && { pageToken }) };
    const params = { path: { chainId: coin.evmChainId, address }, query };
    const { transactions, nextPageToken } = await answerOf(data.GET("/v2/chains/{chainId}/addresses/{address}/transactions", { params }));
    return { items: transactions.map((tx) => evmItem(coin, tx, address)), nextPageToken };
  };
}

export function Bech32History({ address, overview }: TabProps) {
  const chains = primaryChains(overview);
  return (
    <History
      name={address}
      chains={chains}
      sources={chains.map((chain) => primarySource(chain, address))}
      overview={overview}
      note="All transactions of P and X and the imports and exports of C that name this address, also as one of several owners. A change is what its own outputs gained or lost, fees included; what was exported but not imported is still its own. What the P-chain's genesis gave belongs to no transaction."
    />
  );
}

/** The transactions of one EVM chain, and on the C-chain imports and exports too. */
export function EvmHistory({ address, overview, chainId }: TabProps) {
  return (
    <ChainPicker address={address} overview={overview} chainId={chainId} tab="history">
      {(chain) => {
        const isC = overview.chains.some(({ alias, blockchainId }) => alias === "C" && blockchainId === chain.blockchainId);
        const sources = [evmSource(chain, address), ...(isC ? [primarySource("C", address)] : [])];
        return (
          <History
            name={`${address} ${chain.evmChainId}`}
            chains={[chain.evmChainId, ...(isC ? ["C"] : [])]}
            sources={sources}
            overview={overview}
            note="A change is what this address gained or lost: coins with the fees it paid, and tokens."
          />
        );
      }}
    </ChainPicker>
  );
}

interface HistoryProps {
  readonly name: string;
  readonly chains: readonly string[];
  readonly sources: readonly Source<HistoryItem>[];
  readonly overview: Overview;
  readonly note: string;
}

function History({ name, chains, sources, overview, note }: HistoryProps) {
  const pages = usePages(
    ["history", name],
    (progress: Parameters<typeof readMerged<HistoryItem>>[1]) => readMerged(sources, progress),
    ({ items }) => items,
    { follows: chains },
  );
  return (
    <section class="card">
      <h2>History</h2>
      <p class="quiet">{note}</p>
      <List
        label="Transactions"
        of={pages}
        columns={columns(overview)}
        keyOf={({ chain, id }) => `${chain} ${id}`}
        empty="No transaction names this address."
      />
    </section>
  );
}

function columns(overview: Overview): readonly Column<HistoryItem>[] {
  const nameOf = (chain: string) => overview.evmChains.find(({ evmChainId }) => evmChainId === chain)?.name;
  return [
    {
      name: "Transaction",
      cell: ({ chain, id, href, type, isFailed }) => (
        <>
          <ChainName alias={chain} {...(nameOf(chain) !== undefined && { name: nameOf(chain)! })} /> <Id value={id} href={href} />
          <div>
            <ChainText text={type} longest={60} /> {isFailed && <span class="badge bad">failed</span>}
          </div>
        </>
      ),
    },
    { name: "Change", isNumber: true, cell: (item) => <Changes item={item} /> },
    { name: "Time", cell: ({ timestamp }) => <Time seconds={timestamp} /> },
    { name: "Others", cell: ({ others }) => <Others addresses={others} /> },
  ];
}

function Changes({ item: { changes, jointChanges } }: { readonly item: HistoryItem }) {
  if (changes.length === 0 && jointChanges.length === 0) return <span class="quiet">none</span>;
  return (
    <>
      {changes.map((change) => (
        <div key={change.key}>
          <OneChange change={change} />
        </div>
      ))}
      {jointChanges.map((change) => (
        <div key={change.key}>
          <OneChange change={change} /> <span class="quiet">with other owners</span>
        </div>
      ))}
    </>
  );
}

function OneChange({ change: { amount, decimals, symbol, href } }: { readonly change: Change }) {
  return (
    <span class={amount > 0n ? "good" : undefined}>
      {amount > 0n && "+"}
      <Amount value={amount} decimals={decimals} symbol={href === undefined ? symbol : undefined} />
      {href !== undefined && (
        <>
          {" "}
          <a href={href}>
            <ChainText text={symbol} longest={24} />
          </a>
        </>
      )}
    </span>
  );
}

const MOST_OTHERS = 3;

function Others({ addresses }: { readonly addresses: readonly string[] }) {
  return (
    <>
      {addresses.slice(0, MOST_OTHERS).map((address) => (
        <div key={address}>
          <Id value={address} href={to.address(address)} />
        </div>
      ))}
      {addresses.length > MOST_OTHERS && <span class="quiet">and {addresses.length - MOST_OTHERS} more</span>}
    </>
  );
}
