/** Finds the transactions of a query, in order, by merging key ranges that are each in that order already. */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { u8, u64 } from "../../../base/codec/codec.ts";
import { id, type Row, type Table, type TableKey } from "../../../base/table/table.ts";
import { mergedScan } from "../../../index/merged-scan.ts";
import type { PrimaryChain } from "../../../index/primary/primary-chain.ts";
import { findUnderAddresses } from "../../../index/primary/transactions/address-list-reader.ts";
import { assetChainClasses, l1ValidatorClasses } from "../../../index/primary/transactions/transaction-classes.ts";
import {
  groupRange,
  inGroups,
  type OrderPlace,
  type PlacedTransaction,
  type PlaceRange,
  scanTransactions,
  transactionsAt,
} from "../../../index/primary/transactions/transaction-order.ts";
import {
  assetTransactions,
  EVM_LIST,
  l1ValidatorAddressTransactions,
  l1ValidatorTransactions,
} from "../../../index/primary/transactions/transaction-tables.ts";
import type { ScanRange, StoreReader } from "../../../store/store.ts";
import type { ChainContext, Position } from "../context.ts";
import { presentTransactions } from "./present.ts";

/** Conditions of a query; all that are given must hold. */
export interface TransactionFilter {
  /** named by a consumed or emitted UTXO */
  readonly addresses?: readonly ShortId[];
  /** C only: EVM accounts; a transaction matches by an address or by an account */
  readonly evmAddresses?: readonly ShortId[];
  readonly l1ValidationId?: Id;
  /** X only */
  readonly assetId?: Id;
  /** classes of types */
  readonly classes?: readonly number[];
}

interface TransactionScan {
  readonly bounds: TimeBounds;
  readonly reverse: boolean;
  readonly limit: number;
}

/**
 * Returns at most `limit` transactions after the position of the page token. Reads O(limit + ranges) rows, where ranges are addresses ×
 * types. A transaction of several of the addresses is read once for each.
 */
async function findTransactions(
  filter: TransactionFilter,
  { bounds, reverse, limit }: TransactionScan,
  { reader, chain, after }: Pick<ChainContext, "reader" | "chain" | "after">,
): Promise<PlacedTransaction[]> {
  const scan = { ...bounds, ...(after && { after: placeOf(after) }), reverse, limit };
  if (isWholeChain(filter)) return scanTransactions(reader, chain, scan);
  return transactionsAt(reader, chain, await scanPlaces(filter, scan, { reader, chain }));
}

function isWholeChain({ addresses, evmAddresses, l1ValidationId, assetId }: TransactionFilter): boolean {
  return (addresses ?? evmAddresses ?? l1ValidationId ?? assetId) === undefined;
}

function placeOf({ timestamp, ordinal }: Position): OrderPlace {
  return { timestamp: BigInt(timestamp!), ordinal: BigInt(ordinal!) };
}

type Scan = TimeBounds & { readonly after?: OrderPlace; readonly reverse: boolean; readonly limit: number };

async function scanPlaces(
  { addresses, evmAddresses = [], l1ValidationId: validationId, assetId, classes }: TransactionFilter,
  scan: Scan,
  { reader, chain }: Pick<ChainContext, "reader" | "chain">,
): Promise<OrderPlace[]> {
  /** Ranges of each scope by class, without those that are always empty. */
  const byClass = <S extends object>(scopes: readonly S[], all: readonly number[]) => {
    const own = classes?.filter((one) => all.includes(one)) ?? all;
    return scopes.flatMap((scope) => own.map((one) => ({ ...scope, class: one })));
  };
  if (assetId !== undefined) {
    const prefixes = byClass([{ assetId }], assetChainClasses);
    return placesOf(await mergedScan(byTransaction(reader), assetPlaces, { ...scan, prefixes }));
  }
  if (validationId !== undefined && addresses === undefined) {
    const prefixes = byClass([{ validationId }], l1ValidatorClasses);
    return placesOf(await mergedScan(reader, l1ValidatorTransactions, { ...scan, prefixes }));
  }
  if (validationId !== undefined) {
    const scopes = addresses!.map((address) => ({ validationId, address }));
    return placesOf(await mergedScan(reader, l1ValidatorAddressTransactions, { ...scan, prefixes: byClass(scopes, l1ValidatorClasses) }));
  }
  const scopes = [
    ...(addresses ?? []).map((address) => ({ list: chain as number, address })),
    ...evmAddresses.map((address) => ({ list: EVM_LIST, address })),
  ];
  return findUnderAddresses(reader, scopes, classes, scan);
}

function placesOf(rows: readonly { readonly key: OrderPlace }[]): OrderPlace[] {
  return rows.map(({ key: { timestamp, ordinal } }) => ({ timestamp, ordinal }));
}

/** `asset_transactions` as if it had a row for each transaction. */
const assetPlaces = { ...assetTransactions, key: { assetId: id, class: u8, timestamp: u64, ordinal: u64 }, value: {} };

function byTransaction(reader: StoreReader): Pick<StoreReader, "scan"> {
  return {
    async scan<T extends Table>(_table: T, range: ScanRange<T>): Promise<Row<T>[]> {
      const places = range as PlaceRange & { readonly prefix: TableKey<typeof assetTransactions> };
      const rows = await reader.scan(assetTransactions, { prefix: places.prefix, ...groupRange(places) });
      const make = (_row: object, place: OrderPlace) => ({ key: { ...places.prefix, ...place }, value: {} });
      return inGroups(rows, places, ({ value }) => value.positions, make) as Row<Table>[] as Row<T>[];
    },
  };
}

// Bounds of a list by time between two times, in the direction of the page.

/** Bounds of a scan over keys that begin with `timestamp`. */
interface TimeBounds {
  readonly from?: { readonly timestamp: bigint };
  readonly until?: { readonly timestamp: bigint };
}

/**
 * @param start Unix seconds, included
 * @param end Unix seconds, excluded
 * @returns undefined if the range is empty
 */
export function timeBounds(start: number | undefined, end: number | undefined, { reverse }: { reverse: boolean }): TimeBounds | undefined {
  if (end !== undefined && end <= (start ?? 0)) return undefined;
  const before = (time: number) => ({ timestamp: BigInt(time) - 1n });
  const at = (time: number) => ({ timestamp: BigInt(time) });
  if (reverse)
    return { ...(end !== undefined && { from: before(end) }), ...(start !== undefined && start > 0 && { until: before(start) }) };
  return { ...(start !== undefined && { from: at(start) }), ...(end !== undefined && { until: at(end) }) };
}

/** Reads a page of transactions. It ends early if they have too many UTXOs. */
interface PageQuery {
  readonly pageSize: number;
  /** newest first by default */
  readonly sortOrder?: "asc" | "desc";
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
}

export async function transactionPage<C extends PrimaryChain>(
  chain: C,
  filter: TransactionFilter,
  { pageSize, sortOrder = "desc", startTimestamp, endTimestamp }: PageQuery,
  context: ChainContext,
) {
  const reverse = sortOrder === "desc";
  const bounds = timeBounds(startTimestamp, endTimestamp, { reverse });
  const found = bounds === undefined ? [] : await findTransactions(filter, { bounds, reverse, limit: pageSize + 1 }, context);
  const transactions = await presentTransactions(chain, found.slice(0, pageSize), context, { maxUtxos: context.settings.pageUtxos });
  const last = found[transactions.length - 1]?.place;
  return { transactions, ...context.nextPage(found.length > transactions.length && last ? { ...last } : undefined) };
}
