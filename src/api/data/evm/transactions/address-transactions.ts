/** Transactions of an address with its own part in each: transfers and internal transactions from or to it. */

import { NATIVE } from "../../../../evm/index/postings.ts";
import { addressTransactions, type PlacedPosting } from "../../../../evm/index/read-lists.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { type BlockBounds, blockBounds } from "../parameters.ts";
import { type EvmReading, Tokens } from "../present-token.ts";
import { partiesOf, presentTransaction, readTransactions, type TransactionPlace } from "../present-transaction.ts";
import type { TransactionDetails } from "../transaction-schemas.ts";
import { fittingOnPage, type ListedTransaction, mentionedInParts, presentParts, readOwnParts } from "./transaction-parts.ts";

interface PlaceScan {
  readonly bounds: BlockBounds;
  readonly after: TransactionPlace | undefined;
  readonly reverse: boolean;
  readonly limit: number;
}

/**
 * Reads an address's transactions. Costs O(limit) rows.
 * @param hasPart also lists those in which the address is only a party of a transfer or an internal transaction
 */
export async function scanAddressTransactions(
  address: Address,
  { hasPart }: { readonly hasPart: boolean },
  { bounds, after, reverse, limit }: PlaceScan,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<PlacedPosting[]> {
  const isWanted = (role: number) => hasPart || (role & NATIVE) !== 0;
  return addressTransactions(reader, { chain, address }, isWanted, { ...bounds, after, reverse }, limit);
}

export interface AddressQuery {
  readonly pageSize: number;
  readonly startBlock?: number;
  readonly endBlock?: number;
  readonly sortOrder: "asc" | "desc";
}

export interface AddressPage {
  readonly items: readonly { readonly place: TransactionPlace; readonly details: TransactionDetails }[];
  /** undefined on the last page */
  readonly next: TransactionPlace | undefined;
}

export async function addressPage(
  address: Address,
  { pageSize, sortOrder, ...blocks }: AddressQuery,
  after: TransactionPlace | undefined,
  reading: EvmReading,
): Promise<AddressPage> {
  const reverse = sortOrder === "desc";
  const bounds = blockBounds(blocks, { reverse });
  if (bounds === undefined) return { items: [], next: undefined };
  const found = await scanAddressTransactions(address, { hasPart: true }, { bounds, after, reverse, limit: pageSize + 1 }, reading);
  const loaded = await readTransactions(found.slice(0, pageSize), reading);
  const transactions = fittingOnPage(loaded.map((transaction, i) => ({ ...transaction, role: found[i]!.role, parts: found[i]!.parts })));
  const details = await presentAddressTransactions(address, transactions, reading);
  return {
    items: transactions.map(({ place }, i) => ({ place, details: details[i]! })),
    next: found.length > transactions.length ? transactions.at(-1)!.place : undefined,
  };
}

/**
 * In the order of the transactions, which are consecutive in the list. Costs some rows for each transaction, and for each of the address's
 * parts.
 */
async function presentAddressTransactions(
  address: Address,
  transactions: readonly ListedTransaction[],
  reading: EvmReading,
): Promise<TransactionDetails[]> {
  const parts = await readOwnParts(address, transactions, reading);
  const { addresses, nfts } = mentionedInParts(parts);
  const tokens = await Tokens.read({ addresses: [...partiesOf(transactions), ...addresses], nfts }, reading);
  return transactions.map((transaction, i) => ({
    nativeTransaction: presentTransaction(transaction, tokens, reading.evmChain),
    ...presentParts(parts[i]!, tokens),
  }));
}
