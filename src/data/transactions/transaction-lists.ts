/** Finds the transactions of a query, in order, by merging key ranges that are each in that order already. */
import { mergedScan } from "../../index/merged-scan.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../index/primary/primary-chain.ts";
import { assetChainClasses, atomicClasses, l1ValidatorClasses } from "../../index/primary/transactions/transaction-classes.ts";
import {
  ANY_CLASS,
  addressTransactions,
  assetTransactions,
  EVM_LIST,
  l1ValidatorAddressTransactions,
  l1ValidatorTransactions,
  transactionOrder,
} from "../../index/primary/transactions/transaction-tables.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import type { ChainContext, Position } from "../context.ts";
import type { TimeBounds } from "./time-bounds.ts";

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

export interface TransactionScan {
  readonly bounds: TimeBounds;
  readonly reverse: boolean;
  readonly limit: number;
}

/** The position of a transaction in its chain. */
export interface Place {
  readonly timestamp: bigint;
  readonly ordinal: bigint;
}

export interface FoundTransaction {
  readonly txId: Id;
  readonly height: bigint;
  readonly place: Place;
}

/**
 * Returns at most `limit` transactions after the position of the page token. Reads O(limit + ranges) rows, where ranges are addresses ×
 * types. A transaction of several of the addresses is read once for each.
 */
export async function findTransactions(
  filter: TransactionFilter,
  { bounds, reverse, limit }: TransactionScan,
  { reader, chain, after }: Pick<ChainContext, "reader" | "chain" | "after">,
): Promise<FoundTransaction[]> {
  const scan = { ...bounds, ...(after && { after: placeOf(after) }), reverse, limit };
  if (isWholeChain(filter)) {
    const rows = await mergedScan(reader, transactionOrder, { ...scan, prefixes: [{ chain }] });
    return rows.map(({ key: { timestamp, ordinal }, value }) => ({ ...value, place: { timestamp, ordinal } }));
  }
  const rows = await scanPlaces(filter, scan, { reader, chain });
  const places = rows.map(({ key: { timestamp, ordinal } }) => ({ timestamp, ordinal }));
  const found = await reader.getMany(
    transactionOrder,
    places.map((place) => ({ chain, ...place })),
  );
  return places.map((place, i) => ({ ...found[i]!, place }));
}

function isWholeChain({ addresses, evmAddresses, l1ValidationId, assetId }: TransactionFilter): boolean {
  return (addresses ?? evmAddresses ?? l1ValidationId ?? assetId) === undefined;
}

function placeOf({ timestamp, ordinal }: Position): Place {
  return { timestamp: BigInt(timestamp!), ordinal: BigInt(ordinal!) };
}

type Scan = TimeBounds & { readonly after?: Place; readonly reverse: boolean; readonly limit: number };

/** Classes whose ranges together have all transactions of an address. */
const allClasses: Readonly<Record<PrimaryChain, readonly number[]>> = {
  [P_CHAIN]: [ANY_CLASS],
  [X_CHAIN]: assetChainClasses,
  [C_CHAIN]: atomicClasses,
};

function scanPlaces(
  { addresses, evmAddresses = [], l1ValidationId: validationId, assetId, classes }: TransactionFilter,
  scan: Scan,
  { reader, chain }: Pick<ChainContext, "reader" | "chain">,
): Promise<{ readonly key: Place }[]> {
  /** Ranges of each scope by class, without those that are always empty. */
  const byClass = <S extends object>(scopes: readonly S[], all: readonly number[]) => {
    const own = classes?.filter((one) => all.includes(one) || all.includes(ANY_CLASS)) ?? all;
    return scopes.flatMap((scope) => own.map((one) => ({ ...scope, class: one })));
  };
  if (assetId !== undefined) {
    return mergedScan(reader, assetTransactions, { ...scan, prefixes: byClass([{ assetId }], assetChainClasses) });
  }
  if (validationId !== undefined && addresses === undefined) {
    return mergedScan(reader, l1ValidatorTransactions, { ...scan, prefixes: byClass([{ validationId }], l1ValidatorClasses) });
  }
  if (validationId !== undefined) {
    const scopes = addresses!.map((address) => ({ validationId, address }));
    return mergedScan(reader, l1ValidatorAddressTransactions, { ...scan, prefixes: byClass(scopes, l1ValidatorClasses) });
  }
  const scopes = [
    ...(addresses ?? []).map((address) => ({ list: chain as number, address })),
    ...evmAddresses.map((address) => ({ list: EVM_LIST, address })),
  ];
  return mergedScan(reader, addressTransactions, { ...scan, prefixes: byClass(scopes, allClasses[chain]) });
}
