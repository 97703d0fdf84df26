/**
 * A balance over time: one request for the first transactions, and at most 23 for balances in the past. The last point is the present balance.
 */
import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import { useOverview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { Amount, decimal } from "../../components/amount.tsx";
import { spelled } from "../../components/chain-text.tsx";
import { LazyChart } from "../../components/lazy-chart.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { useNow, utc } from "../../components/time.tsx";
import type { PrimaryAlias } from "../../router.ts";
import { type AssetTotal, type ChainBalances, ownAmount } from "./balance-rows.ts";
import type { AccountChain } from "./evm-chains.tsx";
import { readBalances, readTransactions } from "./primary.ts";
import { fewAtATime, MOST_POINTS, pointsOf } from "./sampling.ts";

interface Point<B> {
  /** Unix seconds, or a height */
  readonly at: number;
  readonly balance: B;
}

interface Past<B> {
  readonly points: readonly Point<B>[];
  /** every change has a point */
  readonly isExact: boolean;
}

/** Any asset of P or X, without what is between chains. */
export function PrimaryChart({
  address,
  balances,
  assets,
}: {
  address: string;
  balances: readonly ChainBalances[];
  assets: readonly AssetTotal[];
}) {
  const chains = balances.map(({ chain }) => chain).filter((chain) => chain !== "C");
  const [chain, setChain] = useState<PrimaryAlias>(chains[0]!);
  const [assetId, setAssetId] = useState("");
  const fungible = assets.filter(({ type }) => type === "secp256k1");
  const asset = fungible.find((each) => each.assetId === assetId) ?? fungible[0];
  const now = useNow();
  const past = useAnswer(["past balances", chain, address], () => readPast(chain, address, now));
  const present = balances.find((each) => each.chain === chain);
  if (asset === undefined || present === undefined) return null;
  return (
    <section class="card">
      <h2>Balance over time</h2>
      <div class="filters">
        <label>
          Chain{" "}
          <select value={chain} onChange={({ currentTarget }) => setChain(currentTarget.value as PrimaryAlias)}>
            {chains.map((each) => (
              <option key={each} value={each}>
                {each}-chain
              </option>
            ))}
          </select>
        </label>
        {fungible.length > 1 && (
          <label>
            Asset{" "}
            <select value={asset.assetId} onChange={({ currentTarget }) => setAssetId(currentTarget.value)}>
              {fungible.map((each) => (
                <option key={each.assetId} value={each.assetId}>
                  {spelled(each.symbol.slice(0, 24))} {each.assetId.slice(0, 8)}…
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Answer of={past}>
        {({ points, isExact }) => (
          <Balances
            points={[
              ...points.map((point) => ({ at: point.at, balance: ownAmount(point.balance, asset.assetId) })),
              { at: Math.max(now, (points.at(-1)?.at ?? 0) + 1), balance: ownAmount(present.balances, asset.assetId) },
            ]}
            what={`${spelled(asset.symbol.slice(0, 24))} on the ${chain}-chain`}
            decimals={asset.denomination}
            symbol={asset.symbol}
            isTime
            isExact={isExact}
          />
        )}
      </Answer>
    </section>
  );
}

async function readPast(chain: PrimaryAlias, address: string, now: number): Promise<Past<ChainBalances["balances"]>> {
  const { transactions, nextPageToken } = await readTransactions(chain, address, { pageSize: MOST_POINTS, sortOrder: "asc" });
  const times = transactions.map((tx) => ("blockTimestamp" in tx ? tx.blockTimestamp : tx.timestamp));
  const { at, isExact } = pointsOf(times, nextPageToken === undefined, now);
  const answers = await fewAtATime(at, (time) => readBalances(chain, address, time));
  return { points: at.map((time, i) => ({ at: time, balance: answers[i]! })), isExact };
}

/** The coin of an EVM chain, by height. */
export function EvmChart({
  chain,
  address,
  balance,
}: {
  readonly chain: AccountChain;
  readonly address: string;
  readonly balance: string;
}) {
  const { evmChainId, height, symbol, decimals } = chain;
  // elsewhere old balances come from a node, which may not have them: it is asked if its reader wants to see them
  const isDevnet = useOverview().data?.isDevnet ?? false;
  const [isAsked, setAsked] = useState(false);
  const isWanted = height !== undefined && (isDevnet || isAsked);
  const past = useAnswer(["past coins", evmChainId, address], () => readPastCoins(chain, address), { isWanted, isRetried: false });
  if (height === undefined) return null;
  if (!isWanted) {
    return (
      <p>
        <button type="button" onClick={() => setAsked(true)}>
          Draw the balance over time
        </button>{" "}
        <span class="quiet">The chain's node is asked for at most {MOST_POINTS} old balances.</span>
      </p>
    );
  }
  return (
    <Answer of={past}>
      {({ points, isExact }) => (
        <Balances
          points={[...points, { at: Math.max(Number(height), (points.at(-1)?.at ?? 0) + 1), balance: BigInt(balance) }]}
          what={`${spelled(symbol.slice(0, 24))} after blocks`}
          decimals={decimals}
          symbol={symbol}
          isTime={false}
          isExact={isExact}
        />
      )}
    </Answer>
  );
}

async function readPastCoins({ evmChainId, height }: AccountChain, address: string): Promise<Past<bigint>> {
  const path = { chainId: evmChainId, address };
  const query = { pageSize: MOST_POINTS, sortOrder: "asc" } as const;
  const first = await answerOf(data.GET("/v2/chains/{chainId}/addresses/{address}/transactions", { params: { path, query } }));
  const heights = first.transactions.map(({ nativeTransaction }) => Number(nativeTransaction.blockNumber) - 1);
  const { at, isExact } = pointsOf(heights, first.nextPageToken === undefined, Number(height));
  const balances = await fewAtATime(at, async (block) => {
    const params = { path, query: { blockNumber: `${block}` } };
    const { nativeTokenBalance } = await answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}/balances:getNative", { params }));
    return BigInt(nativeTokenBalance.balance);
  });
  return { points: at.map((block, i) => ({ at: block, balance: balances[i]! })), isExact };
}

interface BalancesProps {
  readonly points: readonly Point<bigint>[];
  readonly what: string;
  readonly decimals: number;
  readonly symbol: string;
  readonly isTime: boolean;
  readonly isExact: boolean;
}

function Balances({ points, what, decimals, symbol, isTime, isExact }: BalancesProps) {
  if (points.length < 2) return <Empty>There is no past balance.</Empty>;
  const coverage = isExact ? "every change" : `${points.length} points; what happened between two of them is not shown`;
  return (
    <LazyChart
      title={`${what}: ${coverage}`}
      x={points.map(({ at }) => at)}
      y={points.map(({ balance }) => Number(decimal(balance, decimals).replaceAll(",", "")))}
      unit={symbol}
      isTime={isTime}
    >
      <Table
        label="Balances"
        columns={[
          { name: isTime ? "Before" : "After block", cell: ({ at }) => (isTime ? utc(at) : `${at}`) },
          { name: "Balance", isNumber: true, cell: ({ balance }) => <Amount value={balance} decimals={decimals} symbol={symbol} /> },
        ]}
        items={points}
        keyOf={({ at }) => `${at}`}
      />
    </LazyChart>
  );
}
