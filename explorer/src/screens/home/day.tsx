/** Transactions of the last day of all EVM chains, by hour. One request. */
import type { Overview } from "../../api/overview.ts";
import { count } from "../../components/amount.tsx";
import { Bars } from "../../components/bars.tsx";
import { to } from "../../router.ts";
import { useMetric } from "../evm/metrics.ts";

const HOURS = 24;

export function DayOfTransactions({ of: { evmChains } }: { readonly of: Overview }) {
  const follows = evmChains.map(({ evmChainId }) => evmChainId);
  const { data } = useMetric({ chainId: "total", metric: "txCount", timeInterval: "hour", pageSize: HOURS, follows });
  // nothing is said here of what cannot be read: the numbers beside it say that themselves
  if (data === undefined) return null;
  const hours = data.results.map(({ value }) => value).reverse();
  const sum = hours.reduce((all, value) => all + value, 0);
  const [first] = follows;
  return (
    <>
      {first === undefined ? count(sum) : <a href={to.evm(first)}>{count(sum)}</a>}{" "}
      {hours.length > 1 && <Bars values={hours} title={`Transactions of each of the last ${hours.length} hours`} />}
    </>
  );
}
