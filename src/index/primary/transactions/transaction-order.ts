/**
 * The transactions of a chain in order. Those of a block or vertex have its time and follow each other, so rows hold groups of them. The
 * ordinal of a transaction is the number of its group and its position in it.
 */
import type { Id } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { PrimaryChain } from "../primary-chain.ts";
import { transactionOrder } from "./transaction-tables.ts";

/** The position of a transaction in lists. */
export interface OrderPlace {
  readonly timestamp: bigint;
  readonly ordinal: bigint;
}

export interface PlacedTransaction {
  readonly txId: Id;
  readonly height: bigint;
  readonly place: OrderPlace;
}

/** Bounds in the direction of the scan: `from` is included, `after` and `until` are not. */
export interface PlaceRange {
  readonly from?: { readonly timestamp: bigint };
  readonly after?: OrderPlace;
  readonly until?: { readonly timestamp: bigint };
  readonly reverse?: boolean;
  readonly limit: number;
}

/** A larger block has several groups, so that reading one transaction costs a kilobyte at most. */
export const GROUP_SIZE = 32;

const POSITION_BITS = 8n;
const ID_BYTES = 32;

export function ordinalOf(group: number, position: number): bigint {
  return (BigInt(group) << POSITION_BITS) + BigInt(position);
}

export function groupOf(ordinal: bigint): number {
  return Number(ordinal >> POSITION_BITS);
}

function positionOf(ordinal: bigint): number {
  return Number(BigInt.asUintN(Number(POSITION_BITS), ordinal));
}

/** Splits consecutive transactions into groups of one block. */
export function grouped<T extends { readonly height: bigint; readonly timestamp: bigint }>(txs: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (const tx of txs) {
    const last = groups.at(-1);
    const isOpen = last !== undefined && last.length < GROUP_SIZE;
    if (isOpen && last[0]!.height === tx.height && last[0]!.timestamp === tx.timestamp) last.push(tx);
    else groups.push([tx]);
  }
  return groups;
}

export function packIds(txIds: readonly Id[]): Buffer {
  return Buffer.from(txIds.join(""), "hex");
}

export function idsOf({ txIds }: Pick<TableValue<typeof transactionOrder>, "txIds">): Id[] {
  return Array.from({ length: txIds.length / ID_BYTES }, (_, position) => idAt(txIds, position));
}

function idAt(txIds: Uint8Array, position: number): Id {
  return Buffer.from(txIds.buffer, txIds.byteOffset + position * ID_BYTES, ID_BYTES).toString("hex");
}

/**
 * Calls back with each position of rows of groups, in the direction of the range, until it returned `limit` values.
 * @param rows read from the group of `after` on
 */
export function inGroups<R extends { readonly key: { readonly timestamp: bigint; readonly group: number } }, T>(
  rows: readonly R[],
  { after, reverse = false, limit }: PlaceRange,
  positionsOf: (row: R) => Iterable<number> & { readonly length: number },
  make: (row: R, place: OrderPlace, position: number) => T,
): T[] {
  const found: T[] = [];
  for (const row of rows) {
    const { timestamp, group } = row.key;
    const positions = [...positionsOf(row)];
    for (const position of reverse ? positions.reverse() : positions) {
      const ordinal = ordinalOf(group, position);
      const isBefore = timestamp === after?.timestamp && (reverse ? ordinal >= after.ordinal : ordinal <= after.ordinal);
      if (isBefore) continue;
      found.push(make(row, { timestamp, ordinal }, position));
      if (found.length === limit) return found;
    }
  }
  return found;
}

/** The bounds of a scan of groups. The group of `after` is read again. */
export function groupRange({ from, after, until, reverse = false, limit }: PlaceRange) {
  const start = after === undefined ? from : { timestamp: after.timestamp, group: groupOf(after.ordinal) };
  return { ...(start && { from: start }), ...(until && { until }), reverse, limit: after === undefined ? limit : limit + 1 };
}

/** Costs at most a row for each transaction, and one. */
export async function scanTransactions(reader: StoreReader, chain: PrimaryChain, range: PlaceRange): Promise<PlacedTransaction[]> {
  const rows = await reader.scan(transactionOrder, { prefix: { chain }, ...groupRange(range) });
  const positionsOf = ({ value }: (typeof rows)[number]) => Array.from({ length: value.txIds.length / ID_BYTES }, (_, i) => i);
  return inGroups(rows, range, positionsOf, ({ value }, place, position) => {
    return { txId: idAt(value.txIds, position), height: value.height, place };
  });
}

/** The transactions at these places, which a list has. Costs a row for each group. */
export async function transactionsAt(
  reader: StoreReader,
  chain: PrimaryChain,
  places: readonly OrderPlace[],
): Promise<PlacedTransaction[]> {
  const keys = new Map(places.map(({ timestamp, ordinal }) => [groupOf(ordinal), { chain, timestamp, group: groupOf(ordinal) }]));
  const rows = await reader.getMany(transactionOrder, [...keys.values()]);
  const groups = new Map([...keys.keys()].map((group, i) => [group, rows[i]!]));
  return places.map((place) => {
    const { txIds, height } = groups.get(groupOf(place.ordinal))!;
    return { txId: idAt(txIds, positionOf(place.ordinal)), height, place };
  });
}
