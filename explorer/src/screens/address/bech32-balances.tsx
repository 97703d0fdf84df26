/**
 * Balances on P, X and C together. Requests: balances and last activity of each chain, and the chains that it was active on: seven, however much
 * the address has.
 */
import type { Overview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { AssetAmount } from "../../components/asset-amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { PrimaryChart } from "./balance-chart.tsx";
import { type BalanceRow, balanceRows, type ChainBalances, totals } from "./balance-rows.ts";
import { LockTimes } from "./lock-times.tsx";
import { aliasOf, primaryChains, readActiveChains, readBalances, readLastActivity } from "./primary.ts";
import type { TabProps } from "./tab-props.ts";

export function Bech32Balances({ address, overview }: TabProps) {
  const chains = primaryChains(overview);
  const balances = useAnswer(
    ["balances of bech32", address],
    () => Promise.all(chains.map(async (chain) => ({ chain, balances: await readBalances(chain, address) }))),
    { follows: chains },
  );
  return (
    <>
      <section class="card">
        <h2>Balances</h2>
        <Answer of={balances}>{(answers) => <Balances answers={answers} overview={overview} />}</Answer>
        <p class="quiet">
          What several owners must sign for is not counted; its transactions are in the{" "}
          <a href={`${to.address(address)}/history`}>history</a>.
        </p>
      </section>
      <Answer of={balances}>
        {(answers) => (
          <>
            {lockedChains(answers, overview).map((chain) => (
              <LockTimes key={chain} chain={chain} address={address} />
            ))}
            <PrimaryChart address={address} balances={answers} assets={totals(answers, (id) => aliasOf(id, overview))} />
          </>
        )}
      </Answer>
      <Activity address={address} overview={overview} chains={chains} />
    </>
  );
}

function nameOf(overview: Overview) {
  return (blockchainId: string) => `${aliasOf(blockchainId, overview) ?? blockchainId}-chain`;
}

function lockedChains(answers: readonly ChainBalances[], overview: Overview): PrimaryAlias[] {
  return answers.filter((answer) => balanceRows(answer, nameOf(overview)).some(({ isLocked }) => isLocked)).map(({ chain }) => chain);
}

const COLUMNS: readonly Column<BalanceRow>[] = [
  { name: "Chain", cell: ({ chain }) => <ChainName alias={chain} /> },
  { name: "State", cell: ({ state }) => state },
  {
    name: "Amount",
    isNumber: true,
    cell: ({ amount, ...asset }) => <AssetAmount amount={amount} asset={asset} />,
  },
  { name: "UTXOs", isNumber: true, cell: ({ utxoCount }) => count(utxoCount) },
];

function Balances({ answers, overview }: { readonly answers: readonly ChainBalances[]; readonly overview: Overview }) {
  const rows = answers.flatMap((answer) => balanceRows(answer, nameOf(overview)));
  if (rows.length === 0) return <Empty>It has nothing on the chains of this server.</Empty>;
  return (
    <>
      <ul class="plain-list">
        {totals(answers, (id) => aliasOf(id, overview)).map(({ amount, ...asset }, i) => (
          <li key={`${asset.assetId} ${asset.type}`}>
            <span class={i === 0 ? "figure" : undefined}>
              <AssetAmount amount={amount} asset={asset} />
            </span>{" "}
            <span class="quiet">in all</span>
          </li>
        ))}
      </ul>
      <Table
        label="Balances by chain and state"
        columns={COLUMNS}
        items={rows}
        keyOf={({ chain, assetId, type, state }) => `${chain} ${assetId} ${type} ${state}`}
      />
    </>
  );
}

interface ActivityProps {
  readonly address: string;
  readonly overview: Overview;
  readonly chains: readonly PrimaryAlias[];
}

function Activity({ address, overview, chains }: ActivityProps) {
  const active = useAnswer(
    ["activity of bech32", address],
    async () => {
      const active = new Set((await readActiveChains(address)).map((id) => aliasOf(id, overview)));
      const found = chains.filter((chain) => active.has(chain));
      const last = await Promise.all(found.map((chain) => readLastActivity(chain, address)));
      return found.map((chain, i) => ({ chain, ...last[i]! }));
    },
    { follows: chains },
  );
  return (
    <section class="card">
      <h2>Activity</h2>
      <Answer of={active}>
        {(last) =>
          last.length === 0 ? (
            <Empty>No transaction names this address.</Empty>
          ) : (
            <Facts>
              {last.map(({ chain, timestamp, txHash, isConsumed }) => (
                <Fact key={chain} name={`${chain}-chain`}>
                  last {isConsumed ? "spent" : "received"} <Time seconds={timestamp} /> in{" "}
                  {/* it may have come from another chain, whose export is then the last one here */}
                  <Id value={txHash} href={isConsumed ? to.transaction(chain, txHash) : to.search(txHash)} />
                </Fact>
              ))}
            </Facts>
          )
        }
      </Answer>
    </section>
  );
}
