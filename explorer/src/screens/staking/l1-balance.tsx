/** The balance of an L1 validator over time: right before and after each transaction that changed it, and now. Between them the fee drains it. */
import type { components } from "../../api/data-api.d.ts";
import { Avax } from "../../components/amount.tsx";
import { LazyChart } from "../../components/lazy-chart.tsx";
import { Table } from "../../components/table.tsx";
import { useNow, utc } from "../../components/time.tsx";

type Details = components["schemas"]["L1ValidatorDetailsTransaction"];

/** A transaction that named the validator. */
interface Change {
  /** Unix seconds */
  readonly at: number;
  readonly details: Details;
}

interface Point {
  readonly at: number;
  /** nAVAX */
  readonly balance: bigint;
  readonly when: string;
}

interface L1BalanceProps {
  /** in order of time */
  readonly changes: readonly Change[];
  /** nAVAX; undefined: it was removed */
  readonly balance: bigint | undefined;
}

export function L1Balance({ changes, balance }: L1BalanceProps) {
  const now = useNow();
  const points = pointsOf(changes, balance, now);
  if (points.length < 2) return null;
  return (
    <section class="card">
      <h2>Balance over time</h2>
      <LazyChart
        title="AVAX left, before and after each transaction that changed it. Between two of them the price of the fee may have changed, so the line is straight only roughly."
        x={points.map(({ at }) => at)}
        y={points.map(({ balance: left }) => Number(left) / 1e9)}
        unit="AVAX"
        isTime
        isStraight
      >
        <Table
          label="Balance over time"
          items={points}
          keyOf={({ at, when }) => `${at} ${when}`}
          columns={[
            { name: "Time", cell: ({ at }) => utc(at) },
            { name: "When", cell: ({ when }) => when },
            { name: "Balance", isNumber: true, cell: ({ balance: left }) => <Avax value={left} /> },
          ]}
        />
      </LazyChart>
    </section>
  );
}

function pointsOf(changes: readonly Change[], balance: bigint | undefined, now: number): Point[] {
  const points = changes.flatMap(({ at, details: { remainingBalance, balanceChange } }): Point[] => {
    const after = BigInt(remainingBalance);
    const before = after - BigInt(balanceChange ?? 0);
    return [
      { at, balance: before, when: "before the transaction" },
      { at, balance: after, when: "after it" },
    ];
  });
  // before the first one it was no validator
  const known = points.slice(1);
  return balance === undefined ? known : [...known, { at: Math.max(now, known.at(-1)?.at ?? 0), balance, when: "now" }];
}
