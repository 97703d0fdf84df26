/** How much an EVM chain is used, by hour, day, week or month. One request for each choice. */
import { useState } from "preact/hooks";
import { Amount, count } from "../../components/amount.tsx";
import { spelled } from "../../components/chain-text.tsx";
import { LazyChart } from "../../components/lazy-chart.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { utc } from "../../components/time.tsx";
import type { EvmChain } from "./evm-chain.tsx";
import { INTERVALS, type Interval, METRICS, type Metric, useMetric } from "./metrics.ts";

const NAMES: Readonly<Record<Metric, string>> = {
  txCount: "Transactions",
  gasUsed: "Gas used",
  feesPaid: "Fees",
  activeAddresses: "Active addresses",
  contracts: "New contracts",
};
/** Months differ; a bar's room need not. */
const SECONDS: Readonly<Record<Interval, number>> = { hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 };
const SHOWN: Readonly<Record<Interval, number>> = { hour: 48, day: 60, week: 52, month: 36 };

export function Activity({ chain: { chainId, symbol, decimals } }: { readonly chain: EvmChain }) {
  const [metric, setMetric] = useState<Metric>("txCount");
  const [interval, setInterval] = useState<Interval>("hour");
  const answer = useMetric({ chainId, metric, timeInterval: interval, pageSize: SHOWN[interval], follows: [chainId] });
  const isCoin = metric === "feesPaid";
  const unit = isCoin ? spelled(symbol.slice(0, 24)) : "";
  const number = (value: number) => Number(value) / (isCoin ? 10 ** decimals : 1);
  return (
    <section class="card">
      <h2>Activity</h2>
      <div class="filters">
        <Choice name="What" values={METRICS} nameOf={(each: Metric) => NAMES[each]} value={metric} onChange={(value) => setMetric(value)} />
        <Choice name="By" values={INTERVALS} nameOf={(each: Interval) => each} value={interval} onChange={(value) => setInterval(value)} />
      </div>
      <Answer of={answer}>
        {({ results, countedFromBlock }) => {
          const points = results.toReversed();
          if (points.length === 0) return <Empty>No block was counted yet.</Empty>;
          return (
            <>
              {countedFromBlock !== undefined && <p class="quiet">Blocks before {count(countedFromBlock)} are not counted.</p>}
              <LazyChart
                title={`${NAMES[metric]}${unit && ` in ${unit}`} by ${interval}, up to ${utc(points.at(-1)!.timestamp)}`}
                x={points.map(({ timestamp }) => timestamp)}
                y={points.map(({ value }) => number(value))}
                unit={unit || NAMES[metric]}
                isTime
                isBars
                step={SECONDS[interval]}
              >
                <Table
                  label={`${NAMES[metric]} by ${interval}`}
                  columns={[
                    { name: "From", cell: ({ timestamp }) => utc(timestamp) },
                    {
                      name: NAMES[metric],
                      isNumber: true,
                      // a number that JavaScript would round comes as a text
                      cell: ({ value }) => (isCoin ? <Amount value={BigInt(value)} decimals={decimals} symbol={symbol} /> : count(value)),
                    },
                  ]}
                  items={results}
                  keyOf={({ timestamp }) => `${timestamp}`}
                />
              </LazyChart>
            </>
          );
        }}
      </Answer>
    </section>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly values: readonly T[];
  nameOf(value: T): string;
  readonly value: T;
  onChange(value: T): void;
}

function Choice<T extends string>({ name, values, nameOf, value, onChange }: ChoiceProps<T>) {
  return (
    <label>
      {name}{" "}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as T)}>
        {values.map((each) => (
          <option key={each} value={each}>
            {nameOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}
