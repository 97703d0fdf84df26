import Type from "typebox";
import { INTERVALS, intervalStart } from "../../../../base/time/intervals.ts";
import { evmIcmCounts } from "../../../../evm/index/icm-tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import { type IntervalPage, intervalPage } from "../../metrics/interval-page.ts";
import { LONGEST_PAGE, metricValue, timeIntervalQuery } from "../../metrics/metric-schemas.ts";
import { namedObject } from "../../named-object.ts";
import { pageOf, pageQuery, timeQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { networkQuery } from "../latest-of-all.ts";
import { IcmChains } from "./icm-chains.ts";
import { type CountedPair, countsBetween, groupOf, isByDestination, pairOf, pairQuery, shownPair } from "./icm-metrics.ts";
import { newestTime } from "./newest-time.ts";

const pairMembers = {
  srcBlockchainId: Type.String({ description: "cb58; empty: any." }),
  destBlockchainId: Type.String({ description: "cb58; empty: any." }),
};

/** Intervals that are read at a time where each has several items. */
const RUN = 48;

export const getIcmTimeseries = dataRoute({
  method: "GET",
  path: "/icm/timeseries",
  version: 2,
  operationId: "getICMTimeseries",
  tag: "EVM: interchain messages",
  summary: "Numbers of messages by hour, day, week or month, newest first: of all, or of each source, destination or pair of chains.",
  description:
    "A message counts when its source sent it, or when it was received if the source is not indexed here. `srcBlockchainId` and `destBlockchainId` of an item are empty where it counts any chain. Without `groupBy`, intervals without messages have an item, too.",
  cost: "O(pageSize × chains) rows; with a grouping by destination, those of each pair of chains",
  computeUnits: 20,
  evm: "all",
  isOfState: true,
  query: Type.Object({ ...timeQuery, ...timeIntervalQuery, ...pageQuery(LONGEST_PAGE, 100), ...pairQuery, ...networkQuery }),
  response: pageOf(
    {
      results: Type.Array(
        namedObject("ICMMetricsValue", {
          value: metricValue,
          timestamp: Type.Integer({ description: "Unix seconds: where the hour, day, week or month begins." }),
          ...pairMembers,
        }),
      ),
    },
    "ICMMetricsApiResponse",
  ),
  async handle({ query }, context) {
    const { reader, after } = context;
    const { pageSize, groupBy } = query;
    const interval = INTERVALS.indexOf(query.timeInterval as (typeof INTERVALS)[number]);
    const chains = new IcmChains(context, query.network);
    const wanted = pairOf(query);
    const bounds = await boundsOf(interval, chains, reader);
    const read = (range: readonly [number, number]) =>
      countsBetween(interval, range, { chains, wanted, byDestination: isByDestination(groupBy), reader });
    if (groupBy === undefined) {
      const { starts, next } = intervalPage({ ...query, interval, after: after && Number(after.start) }, bounds);
      const counts = await countsOf(starts, read);
      const sums = new Map<number, bigint>();
      for (const { start, messages } of counts) sums.set(start, (sums.get(start) ?? 0n) + messages);
      const results = starts.map((start) => ({ value: sums.get(start) ?? 0n, timestamp: start, ...shownPair(wanted) }));
      return { results, ...context.nextPage(next === undefined ? undefined : { start: BigInt(next) }) };
    }
    const items: GroupItem[] = [];
    // the interval of the last item may have more
    let page: IntervalPage = { starts: [], next: after === undefined ? undefined : Number(after.start) + 1 };
    do {
      page = intervalPage({ ...query, interval, pageSize: RUN, after: page.next }, bounds);
      const groups = groupsOf(await countsOf(page.starts, read), (pair) => shownPair(groupOf(pair, groupBy, wanted)));
      items.push(...groups.filter((item) => after === undefined || isAfter(item, Number(after.start), String(after.group))));
    } while (items.length <= pageSize && page.next !== undefined);
    const last = items[pageSize - 1];
    const next = items.length > pageSize && last !== undefined ? { start: BigInt(last.timestamp), group: groupName(last) } : undefined;
    return { results: items.slice(0, pageSize), ...context.nextPage(next) };
  },
});

interface GroupItem {
  readonly value: bigint;
  readonly timestamp: number;
  readonly srcBlockchainId: string;
  readonly destBlockchainId: string;
}

function groupName({ srcBlockchainId, destBlockchainId }: Pick<GroupItem, "srcBlockchainId" | "destBlockchainId">): string {
  return `${srcBlockchainId},${destBlockchainId}`;
}

function isAfter(item: GroupItem, start: number, group: string): boolean {
  return item.timestamp < start || (item.timestamp === start && groupName(item) > group);
}

/** Newest first, then by the names of the groups. */
function groupsOf(
  counts: readonly CountedPair[],
  groupOfPair: (pair: CountedPair["pair"]) => Pick<GroupItem, "srcBlockchainId" | "destBlockchainId">,
): GroupItem[] {
  const groups = new Map<string, GroupItem>();
  for (const { start, pair, messages } of counts) {
    const shown = groupOfPair(pair);
    const name = `${start},${groupName(shown)}`;
    groups.set(name, { value: (groups.get(name)?.value ?? 0n) + messages, timestamp: start, ...shown });
  }
  return [...groups.values()].sort((a, b) => b.timestamp - a.timestamp || (groupName(a) < groupName(b) ? -1 : 1));
}

async function countsOf(starts: readonly number[], read: (range: readonly [number, number]) => Promise<CountedPair[]>) {
  return starts.length === 0 ? [] : read([starts.at(-1)!, starts[0]!]);
}

/** From the first interval with a message to that of the newest block. */
async function boundsOf(interval: number, chains: IcmChains, reader: StoreReader) {
  const firsts = await Promise.all(
    chains.all.flatMap(({ evmChain: { chain } }) =>
      [true, false].map((isSent) => reader.scan(evmIcmCounts, { prefix: { chain, interval, isSent }, limit: 1 })),
    ),
  );
  const starts = firsts.flat().map(({ key }) => Number(key.start));
  const newest = await newestTime(chains, reader);
  return starts.length === 0 || newest === undefined ? undefined : { oldest: Math.min(...starts), newest: intervalStart(interval, newest) };
}
