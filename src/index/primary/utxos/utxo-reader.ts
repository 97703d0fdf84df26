/**
 * Pages of UTXO lists. Groups, assets, spent and unspent, and classes of amounts are key ranges that are merged: a page costs O(pageSize +
 * ranges) rows, whatever the length of the lists. Short lists are in their rows. Medium ones have no ranges by amount: by amount or with
 * `minAmount` they are read whole, at most MEDIUM rows each. With `minAmount` in order of time, a page may end early.
 */

import type { NetworkInstance } from "../../../network/network.ts";
import type { Id, ShortId } from "../../../primitives/id.ts";
import type { Row, TableValue } from "../../../primitives/table.ts";
import type { StoreReader } from "../../../store/store.ts";
import { mergedPage, mergedScan } from "../../merged-scan.ts";
import { type GroupId, listsFor, WHOLE_CHAIN } from "./owner-group.ts";
import { type Owners, spendableGroups } from "./owner-group-reader.ts";
import { type ListedUtxo, unpackShortList } from "./short-list.ts";
import { amountClass, HIGHEST_CLASS, listedUtxo, MEDIUM, SHORT } from "./utxo-lists.ts";
import { ownerAssets, ownerGroups, utxosByAmount, utxosByClass, utxosByTime } from "./utxo-tables.ts";

export interface UtxoPageQuery {
  readonly chain: number;
  readonly owners: Owners;
  /** for lists of the X-chain only */
  readonly assetId: Id | undefined;
  readonly minAmount: bigint;
  readonly includeSpent: boolean;
  readonly sortBy: "timestamp" | "amount";
  readonly isDescending: boolean;
  readonly after: UtxoPosition | undefined;
  readonly limit: number;
}

/** A position in a list: the time or amount that it is sorted by, then the UTXO. */
export interface UtxoPosition {
  readonly rank: bigint;
  readonly utxoId: Id;
}

const MAX_AMOUNT = 2n ** 64n - 1n;

export interface UtxoPage {
  readonly utxos: readonly UtxoPosition[];
  /** where the next page begins; undefined on the last page */
  readonly next: UtxoPosition | undefined;
}

/** Returns at most `limit` UTXOs after `after`. */
export async function readUtxoPage(reader: StoreReader, network: NetworkInstance, query: UtxoPageQuery): Promise<UtxoPage> {
  if (query.minAmount > MAX_AMOUNT) return { utxos: [], next: undefined };
  const groups = await spendableGroups(reader, query.chain, query.owners);
  const lists = await listsOfGroups(reader, groups, network, query);
  // one more than requested shows whether there is a next page
  const { found, endedAt } = await read(reader, lists, { ...query, limit: query.limit + 1 });
  const utxos = found.slice(0, query.limit);
  return { utxos, next: found.length > query.limit ? utxos.at(-1) : endedAt };
}

interface Found {
  readonly found: UtxoPosition[];
  /** how far the list was read, if more may follow */
  readonly endedAt?: UtxoPosition | undefined;
}

/** One list with its spent and unspent UTXOs. */
interface List {
  readonly chain: number;
  readonly listId: ShortId;
  readonly row: TableValue<typeof ownerAssets>;
}

/** The lists that have or had UTXOs. */
async function listsOfGroups(
  reader: StoreReader,
  groups: readonly GroupId[],
  network: NetworkInstance,
  { chain, assetId }: UtxoPageQuery,
): Promise<List[]> {
  const asked = groups.flatMap((groupId) => listsFor(groupId, chain, assetId, network.avaxAssetId).map((listId) => ({ groupId, listId })));
  const own = asked.filter(({ groupId, listId }) => listId === groupId);
  const others = asked.filter(({ groupId, listId }) => listId !== groupId);
  const rows = [
    ...(await reader.getMany(
      ownerGroups,
      own.map(({ groupId }) => ({ chain, groupId })),
    )),
    ...(await reader.getMany(
      ownerAssets,
      others.map(({ listId }) => ({ chain, listId })),
    )),
  ];
  return [...own, ...others].flatMap(({ listId }, i) => (rows[i] === undefined ? [] : [{ chain, listId, row: rows[i] }]));
}

/** What of the lists has to be sorted here, merged with what is sorted in the store. */
async function read(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<Found> {
  const isByTime = query.sortBy === "timestamp" && query.minAmount === 0n;
  const here = new FirstOfPage(query);
  const sorted = { byTime: [] as Range[], byAmount: [] as Range[] };
  for (const list of lists) {
    const { size, short } = list.row;
    const ranges = rangesOf(list, query);
    if (size <= SHORT) here.add(unpackShortList(short));
    else if (isByTime && list.listId !== WHOLE_CHAIN) sorted.byTime.push(...ranges);
    else if (size > MEDIUM) sorted.byAmount.push(...ranges);
    // one after the other: each is bounded, but there may be many
    else for (const { prefix } of ranges) here.add((await reader.scan(utxosByTime, { prefix, limit: MEDIUM })).map(listedUtxo));
  }
  const byTime = await inTime(reader, sorted.byTime, query);
  const long =
    query.sortBy === "amount" ? { found: await byAmount(reader, sorted.byAmount, query) } : await byClass(reader, sorted.byAmount, query);
  return cutAt(merged([here.positions, byTime, long.found], query), long.endedAt, query);
}

/** A page that ended early says nothing of what comes after its end. */
function cutAt(found: UtxoPosition[], endedAt: UtxoPosition | undefined, query: UtxoPageQuery): Found {
  if (endedAt === undefined) return { found };
  return { found: found.filter((position) => !isBehind(position, { ...query, after: endedAt })), endedAt };
}

/** The first UTXOs of a page among any number that are not sorted. */
class FirstOfPage {
  #positions: UtxoPosition[] = [];
  readonly #query: UtxoPageQuery;

  constructor(query: UtxoPageQuery) {
    this.#query = query;
  }

  add(utxos: readonly ListedUtxo[]): void {
    const { minAmount, includeSpent, sortBy } = this.#query;
    for (const { utxoId, timestamp, amount, isSpent } of utxos) {
      if (amount < minAmount || (isSpent && !includeSpent)) continue;
      const position = { rank: sortBy === "amount" ? amount : timestamp, utxoId };
      if (isBehind(position, this.#query)) this.#positions.push(position);
    }
    if (this.#positions.length > MOST_UNSORTED) this.#positions = merged([this.#positions], this.#query);
  }

  get positions(): readonly UtxoPosition[] {
    return this.#positions;
  }
}

const MOST_UNSORTED = 1024;

/** Spent or unspent UTXOs of a list. */
interface Range {
  readonly prefix: { readonly chain: number; readonly listId: ShortId; readonly isSpent: boolean };
  readonly amountClasses: bigint;
}

function rangesOf({ chain, listId, row: { amountClasses } }: List, { includeSpent }: UtxoPageQuery): Range[] {
  return (includeSpent ? [false, true] : [false]).map((isSpent) => ({ prefix: { chain, listId, isSpent }, amountClasses }));
}

async function byAmount(reader: StoreReader, ranges: readonly Range[], query: UtxoPageQuery): Promise<UtxoPosition[]> {
  const { minAmount, isDescending, after, limit } = query;
  const least = isDescending ? { until: { amount: minAmount - 1n } } : { from: { amount: minAmount } };
  const rows = await mergedScan(reader, utxosByAmount, {
    prefixes: ranges.map(({ prefix }) => prefix),
    ...(minAmount > 0n && least),
    ...(after && { after: { amount: after.rank, utxoId: after.utxoId } }),
    reverse: isDescending,
    limit,
  });
  return rows.map(({ key: { amount, utxoId } }) => ({ rank: amount, utxoId }));
}

async function inTime(reader: StoreReader, ranges: readonly Range[], query: UtxoPageQuery): Promise<UtxoPosition[]> {
  const rows = await mergedScan(reader, utxosByTime, { prefixes: ranges.map(({ prefix }) => prefix), ...timeRange(query) });
  return rows.map(timePosition);
}

function timeRange({ isDescending, after, limit }: UtxoPageQuery) {
  return { ...(after && { after: { timestamp: after.rank, utxoId: after.utxoId } }), reverse: isDescending, limit };
}

function timePosition({ key: { timestamp, utxoId } }: { key: { timestamp: bigint; utxoId: Id } }): UtxoPosition {
  return { rank: timestamp, utxoId };
}

/** UTXOs of at least an amount in order of time: all of the classes above the amount, and those of its own class that are large enough. */
async function byClass(reader: StoreReader, ranges: readonly Range[], query: UtxoPageQuery): Promise<Found> {
  if (ranges.length === 0) return { found: [] };
  const border = amountClass(query.minAmount);
  const classes = ranges.flatMap((range) => {
    // the lowest class is the last digit
    const present = range.amountClasses.toString(2).split("").reverse();
    return present.flatMap((digit, amountClass) => (digit === "1" && amountClass >= border ? [{ range, amountClass }] : []));
  });
  const isWhole = query.minAmount === lowestOf(border);
  const above = classes.filter(({ amountClass }) => isWhole || amountClass > border);
  const onBorder = classes.filter(({ amountClass }) => !isWhole && amountClass === border).map(({ range }) => range);
  const few = await fewOnBorder(reader, onBorder, query);
  const scan = {
    prefixes: [
      ...above.map(({ range, amountClass }) => ({ ...range.prefix, amountClass })),
      ...few.many.map(({ prefix }) => ({ ...prefix, amountClass: border })),
    ],
    ...(few.many.length > 0 && { accepts: ({ value }: Row<typeof utxosByClass>) => value.amount >= query.minAmount }),
    ...timeRange(query),
  };
  const { rows, endedAt } = await mergedPage(reader, utxosByClass, scan, PATIENCE);
  return { found: merged([rows.map(timePosition), few.positions], query), endedAt: endedAt && timePosition(endedAt) };
}

function lowestOf(amountClass: number): bigint {
  return amountClass === 0 ? 0n : 1n << BigInt(amountClass - 1);
}

/**
 * At most this many UTXOs of the border class are sorted in memory. If there are more, the list by time is read and smaller ones are
 * skipped.
 */
const FEW = 1024;
/** UTXOs that may be skipped before the page ends early. */
const PATIENCE = 4096;

/**
 * Reads the class of `minAmount` itself, which may hold a million UTXOs just below it and few above. If the list by amount shows that few
 * are large enough, they are sorted here. If many are, the list by time mostly has the next one nearby; otherwise the page ends early.
 */
async function fewOnBorder(
  reader: StoreReader,
  ranges: readonly Range[],
  query: UtxoPageQuery,
): Promise<{ positions: UtxoPosition[]; many: Range[] }> {
  const few = Math.ceil(FEW / Math.max(ranges.length, 1));
  const { minAmount } = query;
  const until = lowestOf(amountClass(minAmount) + 1);
  const end = amountClass(minAmount) === HIGHEST_CLASS ? {} : { until: { amount: until } };
  const found = await Promise.all(
    ranges.map(({ prefix }) => reader.scan(utxosByAmount, { prefix, from: { amount: minAmount }, ...end, limit: few + 1 })),
  );
  const positions = found
    .filter((rows) => rows.length <= few)
    .flatMap((rows) => rows.map(({ key: { utxoId }, value: { timestamp } }) => ({ rank: timestamp, utxoId })));
  return { positions: positions.filter((position) => isBehind(position, query)), many: ranges.filter((_, i) => found[i]!.length > few) };
}

function isBehind(position: UtxoPosition, { after, isDescending }: UtxoPageQuery): boolean {
  return after === undefined || (isDescending ? compare(position, after) < 0 : compare(position, after) > 0);
}

/** Merges pages that already begin after `after`. */
function merged(pages: readonly (readonly UtxoPosition[])[], { isDescending, limit }: UtxoPageQuery): UtxoPosition[] {
  return pages
    .flat()
    .sort((a, b) => (isDescending ? compare(b, a) : compare(a, b)))
    .slice(0, limit);
}

function compare(a: UtxoPosition, b: UtxoPosition): number {
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
  return a.utxoId < b.utxoId ? -1 : a.utxoId > b.utxoId ? 1 : 0;
}
