/** Transactions of the last day of P, X and all EVM chains, by hour. One request for each of P and X, one for all EVM chains. */
import { answerOf, data } from "../../api/client.ts";
import { networkInPaths, type Overview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { Bars } from "../../components/bars.tsx";
import { to } from "../../router.ts";
import { useMetric } from "../evm/metrics.ts";
import { HOURS, lastDay } from "./last-day.ts";

/** Newest first; nothing is asked of a chain that is not there. */
function useHours(alias: "P" | "X", { chains }: Overview) {
  const request = { timeInterval: "hour", pageSize: HOURS } as const;
  return useAnswer(
    ["blockchain metric", alias],
    async () => {
      const path = { network: await networkInPaths(), blockchainId: alias === "P" ? "p-chain" : "x-chain", metric: "txCount" } as const;
      const route = "/v2/networks/{network}/blockchains/{blockchainId}/metrics/{metric}";
      return answerOf(data.GET(route, { params: { path, query: request } }));
    },
    { follows: [alias], isWanted: chains.some((chain) => chain.alias === alias) },
  ).data?.results;
}

export function DayOfTransactions({ of: overview }: { readonly of: Overview }) {
  const follows = overview.evmChains.map(({ evmChainId }) => evmChainId);
  const { data: ofEvm } = useMetric({
    ...{ chainId: "total", metric: "txCount", timeInterval: "hour", pageSize: HOURS },
    ...{ follows, isWanted: follows.length > 0 },
  });
  const chains = [
    { href: to.transactions("P"), hours: useHours("P", overview) },
    { href: to.transactions("X"), hours: useHours("X", overview) },
    { href: follows[0] === undefined ? undefined : to.evm(follows[0]), hours: ofEvm?.results },
  ].filter(({ hours }) => hours !== undefined && hours.length > 0);
  // nothing is said here of what cannot be read: the numbers beside it say that themselves
  if (chains.length === 0) return null;
  const values = lastDay(chains.map(({ hours }) => hours!));
  const sum = values.reduce((all, value) => all + value, 0);
  return (
    <>
      {chains.length === 1 && chains[0]!.href !== undefined ? <a href={chains[0]!.href}>{count(sum)}</a> : count(sum)}{" "}
      <Bars values={values} title={`Transactions of each of the last ${HOURS} hours`} />
    </>
  );
}
