import Type from "typebox";
import { HOUR, intervalStart } from "../../../../base/time/intervals.ts";
import { type IntervalRun, runOfAll, runsOfWindow, WINDOWS, type Window, windowMembers } from "../../metrics/rolling-windows.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import { networkQuery } from "../latest-of-all.ts";
import { IcmChains } from "./icm-chains.ts";
import { type CountedPair, countsBetween, groupOf, isByDestination, type Pair, pairOf, pairQuery, shownPair } from "./icm-metrics.ts";
import { newestTime } from "./newest-time.ts";

const summaryValue = namedObject("ICMRollingWindowMetricsValue", {
  ...windowMembers,
  srcBlockchainId: Type.String({ description: "Empty: any." }),
  destBlockchainId: Type.String({ description: "Empty: any." }),
});

export const getIcmSummary = dataRoute({
  method: "GET",
  path: "/icm/summary",
  version: 2,
  operationId: "getICMSummary",
  tag: "EVM: interchain messages",
  summary: "Numbers of messages in the last hour, day, week, month (30 days), 90 days and year, and in all.",
  description:
    "Windows are counted in whole hours up to that of the newest block of all chains. A message counts when its source sent it, or when it was received if the source is not indexed here. The official SDKs read one `result`, the sum; with `groupBy`, `results` has each source, destination or pair besides.",
  cost: "At most 1,900 rows for each chain, and each source that is not indexed; with a grouping by destination, for each pair of chains",
  computeUnits: 20,
  evm: "all",
  isOfState: true,
  query: Type.Object({ ...pairQuery, ...networkQuery }),
  response: namedObject("ICMRollingWindowMetricsApiResponse", {
    result: summaryValue,
    results: Type.Optional(Type.Array(summaryValue, { description: "With `groupBy`, in order of the chains' IDs." })),
  }),
  async handle({ query }, context) {
    const { reader } = context;
    const { groupBy } = query;
    const chains = new IcmChains(context, query.network);
    const wanted = pairOf(query);
    const newest = await newestTime(chains, reader);
    const counts =
      newest === undefined
        ? []
        : await windowCounts(intervalStart(HOUR, newest), { chains, wanted, byDestination: isByDestination(groupBy), reader });
    const result = summaryOf(counts, wanted);
    if (groupBy === undefined) return { result };
    const groups = new Map<string, { readonly group: Pair; readonly counts: WindowCount[] }>();
    for (const count of counts) {
      const group = groupOf(count.pair, groupBy, wanted);
      const name = Object.values(shownPair(group)).join();
      const known = groups.get(name);
      if (known === undefined) groups.set(name, { group, counts: [count] });
      else known.counts.push(count);
    }
    const named = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
    return { result, results: named.map(([, { group, counts: ofGroup }]) => summaryOf(ofGroup, group)) };
  },
});

interface WindowCount extends CountedPair {
  readonly window: Window | "allTime";
}

async function windowCounts(newest: number, asked: Parameters<typeof countsBetween>[2]): Promise<WindowCount[]> {
  const windows = Object.keys(WINDOWS) as Window[];
  const runs: [Window | "allTime", readonly IntervalRun[]][] = [
    ...windows.map((window): [Window, readonly IntervalRun[]] => [window, runsOfWindow(window, newest)]),
    ["allTime", [runOfAll(newest)]],
  ];
  const counts = await Promise.all(
    runs.flatMap(([window, ofWindow]) =>
      ofWindow.map(async ({ interval, first, last }) =>
        (await countsBetween(interval, [first, last], asked)).map((counted): WindowCount => ({ ...counted, window })),
      ),
    ),
  );
  return counts.flat();
}

function summaryOf(counts: readonly WindowCount[], pair: Pair) {
  const sums = Object.fromEntries([...Object.keys(WINDOWS), "allTime"].map((window) => [window, 0n]));
  for (const { window, messages } of counts) sums[window]! += messages;
  return { ...sums, ...shownPair(pair) };
}
