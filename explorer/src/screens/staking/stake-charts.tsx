/**
 * How the stake of the primary network's active validators is distributed, and when it ends. The list is read by pages of 100, the first one
 * at once and up to 3,000 validators on request.
 */
import { useEffect, useState } from "preact/hooks";
import { AVAX_DECIMALS, Avax, count, decimal } from "../../components/amount.tsx";
import { Chart } from "../../components/chart.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Empty, Failure, Loading } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { useNetworkDetails } from "./network-facts.tsx";
import { LARGE_PAGE, PRIMARY_NETWORK_ID, useValidators } from "./requests.ts";
import { byEnd, byWeight, fewestAbove, percentText, type Stake, weightOf } from "./stake.ts";

const MOST_VALIDATORS = 3000;

export function StakeCharts() {
  const [isAllWanted, setAllWanted] = useState(false);
  const validators = useValidators({ validationStatus: "active", subnetId: PRIMARY_NETWORK_ID }, LARGE_PAGE);
  const { data: details } = useNetworkDetails();
  const { items, hasNextPage, isFetchingNextPage, error } = validators;
  const isFull = (items?.length ?? 0) >= MOST_VALIDATORS;
  const isReading = isAllWanted && hasNextPage && !isFull && !error;
  useEffect(() => {
    if (isReading && !isFetchingNextPage) void validators.fetchNextPage();
  }, [isReading, isFetchingNextPage, items?.length]);
  if (items === undefined) return error ? <Failure error={error} onRetry={() => validators.refetch()} /> : <Loading />;
  if (items.length === 0) return <Empty>There is no active validator.</Empty>;
  const known = details?.validatorDetails.validatorCount;
  return (
    <>
      <p role="status">
        Counted here: {count(items.length)}
        {known !== undefined && ` of ${count(known)}`} active validators{hasNextPage ? ", those that staked last." : "."}
        {isReading && " More are being read …"}
      </p>
      {error && <Failure error={error} onRetry={() => validators.fetchNextPage()} />}
      {hasNextPage && !isReading && !isFull && (
        <p>
          <button type="button" onClick={() => setAllWanted(true)}>
            Read all, up to {count(MOST_VALIDATORS)}
          </button>
        </p>
      )}
      {!isReading && (
        <Charts
          stakes={items.map((validator) => ({ nodeId: validator.nodeId, weight: weightOf(validator), end: validator.endTimestamp }))}
          isPart={hasNextPage}
        />
      )}
    </>
  );
}

/** Charts need no more digits than a screen has; the exact numbers are in the tables. */
function inAvax(nanoAvax: bigint): number {
  return Number(nanoAvax) / 1e9;
}

function Charts({ stakes, isPart }: { readonly stakes: readonly Stake[]; readonly isPart: boolean }) {
  const ends = byEnd(stakes);
  const holders = byWeight(stakes);
  const total = holders.at(-1)!.cumulative;
  const fewest = (numerator: bigint, denominator: bigint) => count(fewestAbove(holders, numerator, denominator) ?? 0);
  return (
    <>
      <section class="card">
        <h2>When stake ends</h2>
        <Chart
          title="Stake, own and delegated, of the validators that end in each period (UTC), in AVAX"
          x={ends.map((_, i) => i)}
          y={ends.map(({ weight }) => inAvax(weight))}
          unit="AVAX"
          isBars
          names={ends.map(({ name }) => name)}
        >
          <Table
            label="Stake by end"
            items={ends}
            keyOf={({ name }) => name}
            columns={[
              { name: "Ends in", cell: ({ name }) => name },
              { name: "Validators", isNumber: true, cell: (period) => count(period.count) },
              { name: "Stake", isNumber: true, cell: ({ weight }) => <Avax value={weight} /> },
              { name: "Share", isNumber: true, cell: ({ weight }) => `${percentText(weight, total)} %` },
            ]}
          />
        </Chart>
      </section>
      <section class="card">
        <h2>How stake is distributed</h2>
        {isPart && <p class="warn">Only the validators that were read count, so these numbers change once all are read.</p>}
        <Facts>
          <Fact name="Nodes with more than a third">
            {fewest(1n, 3n)} of {count(holders.length)}: so few could stop the network if they acted together
          </Fact>
          <Fact name="Nodes with more than half">{fewest(1n, 2n)}</Fact>
          <Fact name="Nodes with more than two thirds">{fewest(2n, 3n)}</Fact>
          <Fact name="Stake together">{decimal(total, AVAX_DECIMALS)} AVAX</Fact>
        </Facts>
        <Chart
          title="Share of the stake that the largest nodes have together, in percent"
          x={[0, ...holders.map((_, i) => i + 1)]}
          y={[0, ...holders.map(({ cumulative }) => Number((cumulative * 1_000_000n) / total) / 10_000)]}
          unit="percent"
        >
          <LargestNodes holders={holders} total={total} />
        </Chart>
      </section>
    </>
  );
}

const ROWS = 100;

function LargestNodes({ holders, total }: { readonly holders: ReturnType<typeof byWeight>; readonly total: bigint }) {
  const [rows, setRows] = useState(ROWS);
  const shown = holders.slice(0, rows).map((holder, i) => ({ ...holder, rank: i + 1 }));
  return (
    <>
      <Table
        label="Largest nodes"
        items={shown}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          { name: "Rank", isNumber: true, cell: ({ rank }) => count(rank) },
          { name: "Node", cell: ({ nodeId }) => <Id value={nodeId} href={to.validator(nodeId)} /> },
          { name: "Stake", isNumber: true, cell: ({ weight }) => <Avax value={weight} /> },
          { name: "Share", isNumber: true, cell: ({ weight }) => `${percentText(weight, total)} %` },
          { name: "With all larger", isNumber: true, cell: ({ cumulative }) => `${percentText(cumulative, total)} %` },
        ]}
      />
      {rows < holders.length && (
        <p class="more">
          <button type="button" onClick={() => setRows(rows + ROWS)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}
