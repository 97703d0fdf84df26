/**
 * Pages of UTXO lists. Groups, assets, spent and unspent, and classes of amounts are key ranges that are merged: a page costs O(pageSize +
 * ranges) rows, whatever the length of the lists. Short lists are in their rows. Medium ones have no ranges by amount: by amount or with
 * `minAmount` they are read whole, at most MEDIUM rows each. With `minAmount` in order of time, a page may end early.
 */

import { MAX_U64 } from "../../../base/bytes/amount.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { Row, TableValue } from "../../../base/table/table.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { type StoreReader, sideBySide } from "../../../store/store.ts";
import { mergedPage, mergedScan } from "../../merged-scan.ts";
import { type Owners, spendableGroups } from "./owner-group-reader.ts";
import { type ListedUtxo, SHORT, unpackUtxos } from "./utxo-codec.ts";
import { classListId, type GroupId, listsFor, WHOLE_CHAIN } from "./utxo-ledger.ts";
import { listedUtxos, readWhole, type StoredUtxoList, scanLists } from "./utxo-list-reader.ts";
import { amountClass, HIGHEST_CLASS, MEDIUM } from "./utxo-lists.ts";
import { ownerAssets, ownerGroups, utxosByAmount } from "./utxo-tables.ts";

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

export interface UtxoPage {
  readonly utxos: readonly UtxoPosition[];
  /** where the next page begins; undefined on the last page */
  readonly next: UtxoPosition | undefined;
}

/** Returns at most `limit` UTXOs after `after`. */
export async function readUtxoPage(reader: StoreReader, network: NetworkInstance, query: UtxoPageQuery): Promise<UtxoPage> {
  if (query.minAmount > MAX_U64) return { utxos: [], next: undefined };
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
  const found = await Promise.all([
    reader.getMany(
      ownerGroups,
      own.map(({ groupId }) => ({ chain, groupId })),
    ),
    reader.getMany(
      ownerAssets,
      others.map(({ listId }) => ({ chain, listId })),
    ),
  ]);
  const rows = found.flat();
  return [...own, ...others].flatMap(({ listId }, i) => (rows[i] === undefined ? [] : [{ chain, listId, row: rows[i] }]));
}

/** What of the lists has to be sorted here, merged with what is sorted in the store. */
async function read(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<Found> {
  const isByTime = query.sortBy === "timestamp" && query.minAmount === 0n;
  const here = new FirstOfPage(query);
  const [timed, long, medium]: [List[], List[], List[]] = [[], [], []];
  for (const list of lists) {
    const { size, short } = list.row;
    if (size <= SHORT) here.add(unpackUtxos(short));
    else if (isByTime && list.listId !== WHOLE_CHAIN) timed.push(list);
    else if (size > MEDIUM) long.push(list);
    else medium.push(list);
  }
  const whole = (list: List) => readWhole(reader, list, { includeSpent: query.includeSpent, limit: MEDIUM });
  for await (const utxos of sideBySide(medium, whole)) here.add(utxos);
  const byTime = (await inTime(reader, timed, query)).rows.map(timePosition);
  const ofLong = query.sortBy === "amount" ? { found: await byAmount(reader, long, query) } : await byClass(reader, long, query);
  return cutAt(merged([here.positions, byTime, ofLong.found], query), ofLong.endedAt, query);
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

/** Ranges of `utxos_by_amount`: spent and unspent UTXOs of each list. */
function amountRanges(lists: readonly List[], { includeSpent }: UtxoPageQuery) {
  return lists.flatMap(({ chain, listId }) => (includeSpent ? [false, true] : [false]).map((isSpent) => ({ chain, listId, isSpent })));
}

async function byAmount(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<UtxoPosition[]> {
  const { minAmount, isDescending, after, limit } = query;
  const least = isDescending ? { until: { amount: minAmount - 1n } } : { from: { amount: minAmount } };
  const rows = await mergedScan(reader, utxosByAmount, {
    prefixes: amountRanges(lists, query),
    ...(minAmount > 0n && least),
    ...(after && { after: { amount: after.rank, utxoId: after.utxoId } }),
    reverse: isDescending,
    limit,
  });
  return rows.map(({ key: { amount, utxoId } }) => ({ rank: amount, utxoId }));
}

/** @param accepts the amounts that are shown; all if it is undefined */
function inTime(reader: StoreReader, lists: readonly StoredUtxoList[], query: UtxoPageQuery, accepts?: (amount: bigint) => boolean) {
  const { isDescending, after, limit } = query;
  const scan = {
    prefixes: lists.map(({ chain, listId }) => ({ chain, listId })),
    ...(after && { after: { timestamp: after.rank, utxoId: after.utxoId } }),
    ...(accepts && { accepts: ({ value }: Row<typeof listedUtxos>) => accepts(value.amount) }),
    reverse: isDescending,
    limit,
  };
  return mergedPage(scanLists(reader, lists, query), listedUtxos, scan, PATIENCE);
}

function timePosition({ key: { timestamp, utxoId } }: Row<typeof listedUtxos>): UtxoPosition {
  return { rank: timestamp, utxoId };
}

/** UTXOs of at least an amount in order of time: all of the classes above the amount, and those of its own class that are large enough. */
async function byClass(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<Found> {
  if (lists.length === 0) return { found: [] };
  const border = amountClass(query.minAmount);
  const classes = lists.flatMap((list) => {
    // the lowest class is the last digit
    const present = list.row.amountClasses.toString(2).split("").reverse();
    return present.flatMap((digit, amountClass) => (digit === "1" && amountClass >= border ? [{ list, amountClass }] : []));
  });
  const isWhole = query.minAmount === lowestOf(border);
  const above = classes.filter(({ amountClass }) => isWhole || amountClass > border);
  const onBorder = classes.filter(({ amountClass }) => !isWhole && amountClass === border).map(({ list }) => list);
  const few = await fewOnBorder(reader, onBorder, query);
  const timed = await classLists(reader, [...above, ...few.many.map((list) => ({ list, amountClass: border }))]);
  const accepts = few.many.length > 0 ? (amount: bigint) => amount >= query.minAmount : undefined;
  const { rows, endedAt } = await inTime(reader, timed, query, accepts);
  return { found: merged([rows.map(timePosition), few.positions], query), endedAt: endedAt && timePosition(endedAt) };
}

async function classLists(
  reader: StoreReader,
  classes: readonly { readonly list: List; readonly amountClass: number }[],
): Promise<StoredUtxoList[]> {
  const keys = classes.map(({ list: { chain, listId }, amountClass }) => ({ chain, listId: classListId(listId, amountClass) }));
  const rows = await reader.getMany(ownerAssets, keys);
  return keys.map((key, i) => ({ ...key, row: rows[i]! }));
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
  lists: readonly List[],
  query: UtxoPageQuery,
): Promise<{ positions: UtxoPosition[]; many: List[] }> {
  const ranges = lists.map((list) => ({ list, prefixes: amountRanges([list], query) }));
  const few = Math.ceil(FEW / Math.max(amountRanges(lists, query).length, 1));
  const { minAmount } = query;
  const until = lowestOf(amountClass(minAmount) + 1);
  const end = amountClass(minAmount) === HIGHEST_CLASS ? {} : { until: { amount: until } };
  const found = await Promise.all(
    ranges.map(({ prefixes }) =>
      Promise.all(prefixes.map((prefix) => reader.scan(utxosByAmount, { prefix, from: { amount: minAmount }, ...end, limit: few + 1 }))),
    ),
  );
  const isFew = found.map((ofList) => ofList.every((rows) => rows.length <= few));
  const positions = found
    .filter((_, i) => isFew[i])
    .flatMap((ofList) => ofList.flat().map(({ key: { utxoId }, value: { timestamp } }) => ({ rank: timestamp, utxoId })));
  return { positions: positions.filter((position) => isBehind(position, query)), many: lists.filter((_, i) => !isFew[i]) };
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
