/**
 * Pages of UTXO lists. Groups, assets, spent and unspent, and classes of amounts are key ranges that are merged: a page costs O(pageSize +
 * ranges) rows, whatever the length of the lists. With `minAmount` in order of time, a page may end early.
 */

import type { NetworkInstance } from "../../../network/network.ts";
import type { Id, ShortId } from "../../../primitives/id.ts";
import type { Row } from "../../../primitives/table.ts";
import type { StoreReader } from "../../../store/store.ts";
import { mergedPage, mergedScan } from "../../merged-scan.ts";
import { type GroupId, listsFor } from "./owner-group.ts";
import { type Owners, spendableGroups } from "./owner-group-reader.ts";
import { amountClass, HIGHEST_CLASS } from "./utxo-lists.ts";
import { ownerGroups, utxosByAmount, utxosByClass, utxosByTime } from "./utxo-tables.ts";

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
  const lists = listsOfGroups(groups, network, query);
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

async function read(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<Found> {
  if (query.sortBy === "amount") return { found: await byAmount(reader, lists, query) };
  const isPlain = query.minAmount === 0n && query.owners !== undefined;
  return isPlain ? { found: await byTime(reader, lists, query) } : byClass(reader, lists, query);
}

/** One list, of spent or of unspent UTXOs. */
interface List {
  readonly group: GroupId;
  readonly chain: number;
  readonly listId: ShortId;
  readonly isSpent: boolean;
}

function listsOfGroups(groups: readonly GroupId[], network: NetworkInstance, { chain, assetId, includeSpent }: UtxoPageQuery): List[] {
  return groups.flatMap((group) =>
    listsFor(group, chain, assetId, network.avaxAssetId).flatMap((listId) =>
      (includeSpent ? [false, true] : [false]).map((isSpent) => ({ group, chain, listId, isSpent })),
    ),
  );
}

function prefixOf({ chain, listId, isSpent }: List) {
  return { chain, listId, isSpent };
}

async function byAmount(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<UtxoPosition[]> {
  const { minAmount, isDescending, after, limit } = query;
  const least = isDescending ? { until: { amount: minAmount - 1n } } : { from: { amount: minAmount } };
  const rows = await mergedScan(reader, utxosByAmount, {
    prefixes: lists.map(prefixOf),
    ...(minAmount > 0n && least),
    ...(after && { after: { amount: after.rank, utxoId: after.utxoId } }),
    reverse: isDescending,
    limit,
  });
  return rows.map(({ key: { amount, utxoId } }) => ({ rank: amount, utxoId }));
}

async function byTime(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<UtxoPosition[]> {
  const rows = await mergedScan(reader, utxosByTime, { prefixes: lists.map(prefixOf), ...timeRange(query) });
  return rows.map(timePosition);
}

function timeRange({ isDescending, after, limit }: UtxoPageQuery) {
  return { ...(after && { after: { timestamp: after.rank, utxoId: after.utxoId } }), reverse: isDescending, limit };
}

function timePosition({ key: { timestamp, utxoId } }: { key: { timestamp: bigint; utxoId: Id } }): UtxoPosition {
  return { rank: timestamp, utxoId };
}

/** UTXOs of at least an amount in order of time: all of the classes above the amount, and those of its own class that are large enough. */
async function byClass(reader: StoreReader, lists: readonly List[], query: UtxoPageQuery): Promise<Found> {
  if (lists.length === 0) return { found: [] };
  const border = amountClass(query.minAmount);
  const present = await classesOf(reader, lists);
  const classes = lists.flatMap((list) =>
    range(border, HIGHEST_CLASS)
      .filter((amountClass) => present.get(list.group)?.has(amountClass))
      .map((amountClass) => ({ list, amountClass })),
  );
  const isWhole = query.minAmount === lowestOf(border);
  const above = classes.filter(({ amountClass }) => isWhole || amountClass > border);
  const onBorder = classes.filter(({ amountClass }) => !isWhole && amountClass === border).map(({ list }) => list);
  const few = await fewOnBorder(reader, onBorder, query);
  const scan = {
    prefixes: [
      ...above.map(({ list, amountClass }) => ({ ...prefixOf(list), amountClass })),
      ...few.many.map((list) => ({ ...prefixOf(list), amountClass: border })),
    ],
    ...(few.many.length > 0 && { accepts: ({ value }: Row<typeof utxosByClass>) => value.amount >= query.minAmount }),
    ...timeRange(query),
  };
  const { rows, endedAt } = await mergedPage(reader, utxosByClass, scan, PATIENCE);
  const found = merged([rows.map(timePosition), few.positions], query);
  if (endedAt === undefined) return { found };
  const end = timePosition(endedAt);
  return { found: found.filter((position) => !isBehind(position, { ...query, after: end })), endedAt: end };
}

async function classesOf(reader: StoreReader, lists: readonly List[]): Promise<ReadonlyMap<GroupId, ReadonlySet<number>>> {
  const { chain } = lists[0]!;
  const groups = [...new Set(lists.map(({ group }) => group))];
  const rows = await reader.getMany(
    ownerGroups,
    groups.map((groupId) => ({ chain, groupId })),
  );
  return new Map(groups.map((group, i) => [group, bitsOf(rows[i]?.amountClasses ?? 0n)]));
}

function bitsOf(mask: bigint): ReadonlySet<number> {
  return new Set(range(0, HIGHEST_CLASS).filter((bit) => (mask >> BigInt(bit)) & 1n));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
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
  const few = Math.ceil(FEW / Math.max(lists.length, 1));
  const { minAmount } = query;
  const until = lowestOf(amountClass(minAmount) + 1);
  const end = amountClass(minAmount) === HIGHEST_CLASS ? {} : { until: { amount: until } };
  const found = await Promise.all(
    lists.map((list) => reader.scan(utxosByAmount, { prefix: prefixOf(list), from: { amount: minAmount }, ...end, limit: few + 1 })),
  );
  const positions = found
    .filter((rows) => rows.length <= few)
    .flatMap((rows) => rows.map(({ key: { utxoId }, value: { timestamp } }) => ({ rank: timestamp, utxoId })));
  return { positions: positions.filter((position) => isBehind(position, query)), many: lists.filter((_, i) => found[i]!.length > few) };
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
