/** Which transactions a query finds, in order: pages of key ranges that each are in that order already. */
import { mergedScan } from "../../index/merged-scan.ts";
import { assetChainClasses, l1ValidatorClasses } from "../../index/primary/transaction-classes.ts";
import {
  ANY_CLASS,
  addressTransactions,
  assetTransactions,
  EVM_LIST,
  l1ValidatorAddressTransactions,
  l1ValidatorTransactions,
  transactionOrder,
} from "../../index/primary/transaction-tables.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import type { DataContext, Position } from "../context.ts";
import type { TimeBounds } from "./time-bounds.ts";

/** What the transactions have to do with; all that is given must hold. */
export interface TransactionFilter {
  /** named by a consumed or emitted UTXO */
  readonly addresses?: readonly ShortId[];
  /** C only: accounts of the EVM; a transaction is found by an address or by an account */
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

/** Where a transaction stands in its chain. */
export interface Place {
  readonly timestamp: bigint;
  readonly ordinal: bigint;
}

export interface FoundTransaction {
  readonly txId: Id;
  readonly height: bigint;
  readonly place: Place;
}

/** At most `limit`, behind the position of the context's page token. Reads O(limit + ranges) rows. */
export async function findTransactions(
  filter: TransactionFilter,
  { bounds, reverse, limit }: TransactionScan,
  context: Pick<DataContext, "reader" | "chain" | "after">,
): Promise<FoundTransaction[]> {
  const { reader, chain, after } = context;
  const scan = { ...bounds, ...(after && { after: placeOf(after) }), reverse, limit };
  const rows = await scanPlaces(filter, scan, context);
  const places = rows.map(({ key: { timestamp, ordinal } }) => ({ timestamp, ordinal }));
  const found = await reader.getMany(
    transactionOrder,
    places.map((place) => ({ chain, ...place })),
  );
  return places.map((place, i) => ({ ...found[i]!, place }));
}

function placeOf({ timestamp, ordinal }: Position): Place {
  return { timestamp: BigInt(timestamp!), ordinal: BigInt(ordinal!) };
}

type Scan = TimeBounds & { readonly after?: Place; readonly reverse: boolean; readonly limit: number };

function scanPlaces(
  { addresses = [], evmAddresses = [], l1ValidationId: validationId, assetId, classes }: TransactionFilter,
  scan: Scan,
  { reader, chain }: Pick<DataContext, "reader" | "chain">,
): Promise<{ readonly key: Place }[]> {
  const hasAddresses = addresses.length + evmAddresses.length > 0;
  if (assetId !== undefined) {
    const prefixes = (classes ?? assetChainClasses).map((own) => ({ assetId, class: own }));
    return mergedScan(reader, assetTransactions, { ...scan, prefixes });
  }
  if (validationId !== undefined) {
    const own = (classes ?? l1ValidatorClasses).filter((one) => l1ValidatorClasses.includes(one));
    if (!hasAddresses) {
      const prefixes = own.map((one) => ({ validationId, class: one }));
      return mergedScan(reader, l1ValidatorTransactions, { ...scan, prefixes });
    }
    const prefixes = addresses.flatMap((address) => own.map((one) => ({ validationId, address, class: one })));
    return mergedScan(reader, l1ValidatorAddressTransactions, { ...scan, prefixes });
  }
  if (!hasAddresses) return mergedScan(reader, transactionOrder, { ...scan, prefixes: [{ chain }] });
  const lists = [
    ...addresses.map((address) => ({ list: chain as number, address })),
    ...evmAddresses.map((address) => ({ list: EVM_LIST, address })),
  ];
  const prefixes = lists.flatMap((list) => (classes ?? [ANY_CLASS]).map((own) => ({ ...list, class: own })));
  return mergedScan(reader, addressTransactions, { ...scan, prefixes });
}
